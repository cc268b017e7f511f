// SwiftPM wants a source in each target of C.
#include "CSQLite.h"
