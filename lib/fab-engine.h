/* fab-engine.h - the one door to the engines that give a schedule its time
 */
#pragma once
#include "fab-packet.h"
#include "fab-path.h"
#include "fab-tick.h"

G_BEGIN_DECLS

/* How flows that meet share a link, in the fluid engine. */
typedef enum
{
  FAB_SHARING_PER_PORT,   /* as outputs arbitrate: lanes by weight, input ports in turn; on Ethernet flow by flow */
  FAB_SHARING_MAXMIN,     /* max-min fair, flow by flow */
} FabSharing;

FAB_API const char *const *fab_sharing_names (void);   /* "per-port", "maxmin"; NULL-terminated, in the order of FabSharing */
FAB_API gboolean           fab_sharing_parse (const char *name, FabSharing *sharing, GError **error);

/* All borrowed. @routes may come from a topology of the same rows with other numbers. Same input, same result, byte for byte, on any
 * machine and at any number of threads. */
typedef struct
{
  const FabTopology       *topology;
  const FabFaults         *faults;     /* NULL: nothing is down */
  FabRoutes *const        *routes;     /* one a plane; NULL entries where not routed */
  const FabTransportRules *rules;
  const FabSchedule       *schedule;
  FabSharing               sharing;
  guint64                  seed;
  FabTick                  tick;
  const FabPacketOptions  *packet;     /* of the packet engine; NULL: the defaults */
} FabEngineInput;

typedef struct
{
  const char *name;       /* "fluid" */
  const char *summary;
  FabResult *(*run) (const FabEngineInput *input, GError **error);
} FabEngine;

FAB_API const FabEngine        *fab_engine_lookup (const char *name, GError **error);   /* FAB_ERROR_UNKNOWN with the names there are */
FAB_API const FabEngine *const *fab_engines       (void);                               /* NULL-terminated, Meson list order */

/* Unreachable transfers are results, not errors. A tick that says stop gives a result with complete FALSE. */
FAB_API FabResult *fab_engine_run (const FabEngine *engine, const FabEngineInput *input, GError **error);

G_END_DECLS
