/* fabsim.h - the whole API of libfabsim
 *
 * Read in this order: a design becomes a topology; a routing engine makes tables; a workload makes a schedule; an
 * engine gives it time; the answer is printed.
 */
#pragma once
#include "fab-macros.h"
#include "fab-version.h"
#include "fab-error.h"
#include "fab-tick.h"
#include "fab-units.h"
#include "fab-address.h"
#include "fab-catalog.h"
#include "fab-topology.h"
#include "fab-subnet.h"
#include "fab-routes.h"
#include "fab-lfts.h"
#include "fab-path.h"
#include "fab-schedule.h"
#include "fab-result.h"
#include "fab-packet.h"
#include "fab-engine.h"
#include "fab-table.h"
#include "fab-answer.h"
#include "fab-design.h"
#include "fab-analysis.h"
#include "fab-study.h"
#include "fab-report.h"
