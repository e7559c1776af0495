#include <ck_epoch.h>
