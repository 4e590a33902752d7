/* fab-draw.h - the door to libfabsim-render, opened only when something is drawn
 */
#pragma once
#include "fab-command.h"
#include <fabsim-render.h>

G_BEGIN_DECLS

typedef FabRenderOptions FabDrawOptions;

/* Draws to @path ("-": standard output) in @format, or as the path's suffix says. Returns the status; an @error is set for any but
 * STATUS_FINE. */
int draw_to_file (const FabTopology *topology, const FabFaults *faults, const FabRenderOptions *options, const char *format, const char *path, GError **error);

G_END_DECLS
