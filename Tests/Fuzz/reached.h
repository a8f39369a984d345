/* Counts the features that the events and explanations of the targets `calls` and `fleet` show. */
#ifndef FENCEPOST_REACHED_H
#define FENCEPOST_REACHED_H

#include "features.h"

/* Counts the features that an event of a rule shows. */
static inline void reach_event_of_rule(const fencepost_event *event) {
  if (event->decided_by != 0) REACH("an event of a rule with a part that decided");
  if (event->decided_by != 0 && event->state == FENCEPOST_STATE_SATISFIED) REACH("a rule became satisfied");
  if (event->decided_by != 0 && event->state == FENCEPOST_STATE_UNSATISFIED) REACH("a rule became unsatisfied");
}

/* Counts the features that an event shows. */
static inline void reach_event(const fencepost_event *event) {
  if (isless(event->vertical_distance_m, 0) && event->state == FENCEPOST_STATE_SATISFIED) REACH("a band was entered");
  if (isgreater(event->vertical_distance_m, 0) && islessequal(event->boundary_distance_m, 0)) REACH("a band was left");
  if (isgreater(event->probability, 0.5)) REACH("a probability decided inwards");
  if (isless(event->probability, 0.5)) REACH("a probability decided outwards");
  if (event->cause == FENCEPOST_CAUSE_REPEAT) REACH("a repeat");
  if (event->cause == FENCEPOST_CAUSE_TIMEOUT && event->evidence_date_us == FENCEPOST_TIME_UNSET &&
      isnan(event->latitude))
    REACH("a timeout without evidence");
}

/* Counts the features that an explanation shows. */
static inline void reach_explanation(const fencepost_explanation *found) {
  switch (found->reason) {
    case FENCEPOST_REASON_INACTIVE: REACH("an inactive condition"); break;
    case FENCEPOST_REASON_NO_HEIGHT: REACH("a fix without the height of a band"); break;
    case FENCEPOST_REASON_UNCERTAIN: REACH("an uncertain fix"); break;
    case FENCEPOST_REASON_PARTS: REACH("a rule without a candidate"); break;
    case FENCEPOST_REASON_DWELLING:
      if (found->part_count > 0) REACH("a rule with a candidate");
      break;
    default: break;
  }
  if (found->diagnostics & FENCEPOST_DIAGNOSTIC_EXHAUSTED) REACH("an exhausted condition");
  if (found->corroborations > 0) REACH("a chain of doubted fixes");
  if (!isnan(found->ellipse_major_m)) REACH("an ellipse of a last fix");
  if (isless(found->vertical_distance_m, 0)) REACH("a height within a band");
}

#endif
