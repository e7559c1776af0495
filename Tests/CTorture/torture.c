#include "CTorture.h"
