// SwiftPM requires a source file in each C target.
#include "CSQLite.h"
