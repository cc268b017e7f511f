import Feeds
import Model
import Screen
import UI
import Wire

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

// What the loop does to the world outside of players and pages.
