#ifndef SCENES_H
#define SCENES_H

#include "scheduler.h"

extern const struct scene scenes[];
extern const unsigned scene_count;

#endif
