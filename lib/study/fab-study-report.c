/* fab-study-report.c: the whole plan on one page, and all its numbers by key */
#include "design/fab-design-private.h"
#include "fab-analysis.h"
#include "fab-study.h"

static FabAnswer *
run_if_any (const FabDesign *design, const FabStudyOptions *options, GError **error)
{
  return design->n_workloads > 0 ? fab_study_run (design, NULL, options, error) : fab_answer_new ("fabsim.run/1");
}

FabAnswer *
fab_study_report (const FabDesign *design, const FabStudyOptions *options, GError **error)
{
  g_autoptr (FabTopology) topology = fab_design_build_topology (design, error);
  g_autoptr (FabAnswer) show = topology != NULL ? fab_analysis_show (design, topology, NULL, error) : NULL;
  g_autoptr (FabAnswer) run = show != NULL ? run_if_any (design, options, error) : NULL;
  g_autoptr (FabAnswer) check = run != NULL ? fab_analysis_check (design, topology, FAB_SEVERITY_ERROR, error) : NULL;
  FabAnswer *answer;

  if (check == NULL)
    return NULL;
  answer = fab_answer_new ("fabsim.report/1");
  fab_answer_append (answer, run);
  fab_answer_append (answer, show);
  fab_answer_append (answer, check);
  return answer;
}

FabAnswer *
fab_study_metrics (const FabDesign *design, const FabStudyOptions *options, GError **error)
{
  g_autoptr (FabTopology) topology = fab_design_build_topology (design, error);
  g_autoptr (FabAnswer) all = topology != NULL ? fab_analysis_show (design, topology, NULL, error) : NULL;
  g_autoptr (FabAnswer) run = all != NULL ? run_if_any (design, options, error) : NULL;
  FabAnswer *answer;

  if (run == NULL)
    return NULL;
  fab_answer_append (all, run);
  answer = fab_answer_new ("fabsim.metrics/1");
  fab_answer_add_table (answer, "metrics", "Metrics", fab_answer_metrics (all));
  return answer;
}
