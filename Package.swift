// swift-tools-version: 6.3
import Foundation
import PackageDescription

// The graph of targets is drawn and explained in docs/architecture.md. ArchitectureTests list what each target may
// import, and refuse the rest.

/// Whether the compiler finds a C library without being told where, as on every Linux distribution. Elsewhere
/// pkg-config is asked. Not always, as SwiftPM warns of each -D flag that pkg-config knows ("prohibited flag(s)"): SDL2
/// and ncursesw have some, which flick does not need.
func isInSystem(_ header: String) -> Bool { FileManager.default.fileExists(atPath: "/usr/include/\(header)") }
let (sdl2IsInSystem, ncursesIsInSystem) = (isInSystem("SDL2/SDL.h"), isInSystem("ncurses.h"))
let postgresIsInSystem = isInSystem("postgresql/libpq-fe.h") || isInSystem("libpq-fe.h")
let jpegIsInSystem = isInSystem("turbojpeg.h")
/// Its headers include each other by names that begin in this folder.
let xmlHeaders = "/usr/include/libxml2"
let xmlIsInSystem = isInSystem("libxml2/libxml/parser.h")

/// What makes the installed programs small and quick to start (docs/decisions/size.md): no symbol is exported to
/// libraries, there are no tables to unwind the stack by, and the C library is given relocations in their short form if
/// it can read that (from glibc 2.36 on).
func linkedForUse() -> [LinkerSetting] {
    var flags = ["-use-ld=lld", "-Xlinker", "--no-export-dynamic", "-Xlinker", "-O2"]
    flags += ["-Xlinker", "--no-eh-frame-hdr"]
    flags += ["-Xlinker", "-T", "-Xlinker", Context.packageDirectory + "/Scripts/without-unwinding.ld"]
    #if canImport(Glibc)
        var name = [CChar](repeating: 0, count: 64)  // "glibc 2.36"
        confstr(Int32(_CS_GNU_LIBC_VERSION), &name, name.count - 1)
        let text = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let version = text.split { $0 == " " || $0 == "." }.compactMap { Int($0) }
        if version.count >= 2, (version[0], version[1]) >= (2, 36) {
            flags += ["-Xlinker", "-z", "-Xlinker", "pack-relative-relocs"]
        }
    #endif
    return [.unsafeFlags(flags, .when(platforms: [.linux], configuration: .release))]
}

/// Debian keeps its headers in a folder for each processor.
let curlIsInSystem = ["", "x86_64-linux-gnu/", "aarch64-linux-gnu/"].contains { isInSystem("\($0)curl/curl.h") }
let uchardetIsInSystem = isInSystem("uchardet/uchardet.h")
let (brotliIsInSystem, zstdIsInSystem) = (isInSystem("brotli/decode.h"), isInSystem("zstd.h"))
let sodiumIsInSystem = isInSystem("sodium.h")
let tomlIsInSystem = isInSystem("toml++/toml.h")
let sqliteIsInSystem = isInSystem("sqlite3.h")
let opensslIsInSystem = isInSystem("openssl/ssl.h")

/// Optimizes in debug builds too what tests run for every cell, sample or byte, such as thousands of screens that they
/// compare. Assertions stay.
let optimizedInTests: [SwiftSetting] = [
    .unsafeFlags(["-O", "-assert-config", "Debug"], .when(configuration: .debug))
]

let package = Package(
    name: "flick",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "flick", targets: ["flick"]),
        .executable(name: "flick-decoder", targets: ["flick-decoder"]),
        .executable(name: "flick-server", targets: ["flick-server"]),
        // For tests to preload, and to load in place of libcurl.
        .library(name: "full-disk", type: .dynamic, targets: ["CFullDisk"]),
        .library(name: "old-curl", type: .dynamic, targets: ["COldCurl"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
    ],
    targets: [
        // Executables: arguments and exit codes, nothing else.
        .target(
            name: "ServeArguments",
            dependencies: [.product(name: "ArgumentParser", package: "swift-argument-parser")]),
        .executableTarget(
            name: "flick",
            dependencies: [
                "App", "Model", "Platform", "ServeArguments", "CVersion",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ], linkerSettings: linkedForUse()),
        .executableTarget(
            name: "flick-decoder", dependencies: ["Media", "Wire", "Platform", "CSandbox"],
            linkerSettings: linkedForUse()),
        .executableTarget(
            name: "flick-server",
            dependencies: [
                "FeedServer", "Model", "Platform", "ServeArguments", "Threads",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ], linkerSettings: linkedForUse()),

        // The process that owns the terminal.
        .target(
            name: "App",
            dependencies: [
                "UI", "Screen", "TerminalInput", "TermGraphics", "Player", "Audio", "Captions", "Feeds", "Engagement",
                "Desktop", "Bytes", "HTTP", "Cache", "Charset", "Ranking", "Wire", "Model", "Platform", "Threads",
                "CKeyring", "CTOML",
                .product(name: "Logging", package: "swift-log"),
            ]),
        .target(name: "UI", dependencies: ["TerminalInput", "Model", "Platform"], swiftSettings: optimizedInTests),
        .target(
            name: "Screen", dependencies: ["TerminalInput", "TermGraphics", "Model", "Platform", "Threads", "CNcurses"]),
        .target(name: "TerminalInput", dependencies: ["Model"]),
        .target(
            name: "TermGraphics", dependencies: ["Model", "Platform", "CCompression"], swiftSettings: optimizedInTests),
        .target(name: "Player", dependencies: ["Wire", "Bytes", "Audio", "Model", "Platform", "Threads"]),
        .target(name: "Audio", dependencies: ["Threads", "CSDL2"]),
        .target(name: "Feeds", dependencies: ["Bytes", "Charset", "Model", "Platform", "Threads", "CXML"]),
        .target(name: "Charset", dependencies: ["Model", "CCharset"]),
        .target(name: "Engagement", dependencies: ["Databases", "Model", "Platform", "Threads"]),
        .target(name: "Bytes", dependencies: ["HTTP", "Cache", "Model", "Platform", "Threads"]),
        .target(name: "HTTP", dependencies: ["Model", "Platform", "Threads", "CCompression", "CCurl"]),
        .target(name: "Cache", dependencies: ["Databases", "Model", "Platform", "Threads", "CSodium"]),
        .target(name: "Captions", dependencies: ["Model"]),
        .target(name: "Desktop", dependencies: ["Model", "Platform", "Threads", "CSDBus"]),
        .target(name: "Databases", dependencies: ["Platform", "Threads", "CSQLite"]),
        .target(name: "Ranking", dependencies: ["Model", "Platform"], swiftSettings: optimizedInTests),
        .target(name: "Model", dependencies: ["Platform"], swiftSettings: optimizedInTests),
        .target(name: "Platform", dependencies: ["Threads", "CPlatform"]),
        .target(name: "Threads"),

        // The process that serves a folder as a feed.
        .target(
            name: "FeedServer",
            dependencies: [
                "Feeds", "Player", "Wire", "Bytes", "Databases", "Model", "Platform", "Threads", "CServe", "CPostgres",
                "CJPEG",
                "CTLS",
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"), .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"), .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
            ],
            resources: [.embedInCode("../../docs/openapi.json")]),

        // The process that parses media, and the language the two speak.
        .target(
            name: "Media", dependencies: ["Captions", "Loudness", "Wire", "Model", "Platform", "Threads", "CFFmpeg"]),
        .target(name: "Loudness", dependencies: ["Model", "Platform"], swiftSettings: optimizedInTests),
        .target(
            name: "Wire", dependencies: ["Model", "Platform", "Threads", "CProcess"], swiftSettings: optimizedInTests),

        // C libraries, each behind its one importer. Where they are is what the system libraries below know.
        .target(name: "CFFmpeg", dependencies: ["FFmpegLibraries"]),
        .target(
            name: "CNcurses", dependencies: ["NcursesLibrary"],
            linkerSettings: ncursesIsInSystem
                ? [.linkedLibrary("ncursesw"), .linkedLibrary("tinfo", .when(platforms: [.linux]))] : []),
        // On Linux SDL2 is loaded when sound is first wanted (Sources/CSDL2).
        .target(name: "CSDL2", dependencies: ["SDL2Library", "CLoadedLibrary"]),
        .systemLibrary(
            name: "FFmpegLibraries", pkgConfig: "libavformat libavcodec libavutil libswscale libswresample",
            providers: [
                .apt(["libavformat-dev", "libavcodec-dev", "libavutil-dev", "libswscale-dev", "libswresample-dev"]),
                .brew(["ffmpeg"]), .yum(["ffmpeg-devel"]),
            ]),
        .systemLibrary(
            name: "NcursesLibrary", pkgConfig: ncursesIsInSystem ? nil : "ncursesw",
            providers: [.apt(["libncurses-dev"]), .brew(["ncurses"]), .yum(["ncurses-devel"])]),
        .systemLibrary(
            name: "SDL2Library", pkgConfig: sdl2IsInSystem ? nil : "sdl2",
            providers: [.apt(["libsdl2-dev"]), .brew(["sdl2"]), .yum(["SDL2-devel"])]),
        // On Linux libpq is loaded when a server's database is one of PostgreSQL (Sources/CPostgres).
        .target(name: "CPostgres", dependencies: ["PostgresLibrary", "CLoadedLibrary"]),
        .systemLibrary(
            name: "PostgresLibrary", pkgConfig: postgresIsInSystem ? nil : "libpq",
            providers: [.apt(["libpq-dev"]), .brew(["libpq"]), .yum(["libpq-devel"])]),
        // On Linux libturbojpeg is loaded by a server that makes stills (Sources/CJPEG).
        .target(name: "CJPEG", dependencies: ["JPEGLibrary", "CLoadedLibrary"]),
        .systemLibrary(
            name: "JPEGLibrary", pkgConfig: jpegIsInSystem ? nil : "libturbojpeg",
            providers: [.apt(["libturbojpeg0-dev"]), .brew(["jpeg-turbo"]), .yum(["turbojpeg-devel"])]),
        // On Linux OpenSSL is loaded by a server with a certificate (Sources/CTLS).
        .target(name: "CTLS", dependencies: ["OpenSSLLibrary", "CLoadedLibrary"]),
        .systemLibrary(
            name: "OpenSSLLibrary", pkgConfig: opensslIsInSystem ? nil : "openssl",
            providers: [.apt(["libssl-dev"]), .brew(["openssl@3"]), .yum(["openssl-devel"])]),
        // On Linux libxml2 is loaded when a feed is XML or a page is HTML (Sources/CXML).
        .target(
            name: "CXML", dependencies: ["XMLLibrary", "CLoadedLibrary"],
            cSettings: xmlIsInSystem ? [.unsafeFlags(["-I", xmlHeaders])] : []),
        .systemLibrary(
            name: "XMLLibrary", pkgConfig: xmlIsInSystem ? nil : "libxml-2.0",
            providers: [.apt(["libxml2-dev"]), .brew(["libxml2"]), .yum(["libxml2-devel"])]),
        // On Linux uchardet is loaded when a text does not say which encoding it has (Sources/CCharset). macOS has
        // iconv in a separate library.
        .target(
            name: "CCharset", dependencies: ["UchardetLibrary", "CLoadedLibrary"],
            linkerSettings: [.linkedLibrary("iconv", .when(platforms: [.macOS]))]),
        .systemLibrary(
            name: "UchardetLibrary", pkgConfig: uchardetIsInSystem ? nil : "uchardet",
            providers: [.apt(["libuchardet-dev"]), .brew(["uchardet"]), .yum(["uchardet-devel"])]),
        // On Linux libcurl is loaded with the first request (Sources/CCurl).
        .target(name: "CCurl", dependencies: ["CurlLibrary", "CLoadedLibrary"]),
        .systemLibrary(
            name: "CurlLibrary", pkgConfig: curlIsInSystem ? nil : "libcurl",
            providers: [.apt(["libcurl4-openssl-dev"]), .brew(["curl"]), .yum(["libcurl-devel"])]),
        // libsystemd, on Linux alone: it is loaded after the first frame, for the desktop. Without its headers flick is
        // built without it.
        .target(name: "CSDBus", dependencies: ["CLoadedLibrary"]),
        // How CSDL2, CPostgres, CJPEG, CTLS, CXML, CCharset, CCompression, CCurl and CSDBus load theirs.
        .target(name: "CLoadedLibrary"),
        .target(
            name: "CSodium", dependencies: ["SodiumLibrary"],
            linkerSettings: sodiumIsInSystem ? [.linkedLibrary("sodium")] : []),
        .systemLibrary(
            name: "SodiumLibrary", pkgConfig: sodiumIsInSystem ? nil : "libsodium",
            providers: [.apt(["libsodium-dev"]), .brew(["libsodium"]), .yum(["libsodium-devel"])]),
        .target(
            name: "CSQLite", dependencies: ["SQLiteLibrary"],
            linkerSettings: sqliteIsInSystem ? [.linkedLibrary("sqlite3")] : []),
        .systemLibrary(
            name: "SQLiteLibrary", pkgConfig: sqliteIsInSystem ? nil : "sqlite3",
            providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"]), .yum(["sqlite-devel"])]),
        // toml++ has headers only: CTOML compiles them.
        .target(
            name: "CTOML", dependencies: ["TOMLLibrary"],
            cxxSettings: [.unsafeFlags(["-fno-exceptions", "-fno-rtti"])]),
        .systemLibrary(
            name: "TOMLLibrary", pkgConfig: tomlIsInSystem ? nil : "tomlplusplus",
            providers: [.apt(["libtomlplusplus-dev"]), .brew(["tomlplusplus"]), .yum(["tomlplusplus-devel"])]),
        // zlib is in every system: macOS has it in its SDK. On Linux brotli and zstd are loaded with the first request
        // for a text (Sources/CCompression).
        .target(
            name: "CCompression", dependencies: ["BrotliLibrary", "ZstdLibrary", "CLoadedLibrary"],
            linkerSettings: [.linkedLibrary("z")]),
        .systemLibrary(
            name: "BrotliLibrary", pkgConfig: brotliIsInSystem ? nil : "libbrotlidec",
            providers: [.apt(["libbrotli-dev"]), .brew(["brotli"]), .yum(["brotli-devel"])]),
        .systemLibrary(
            name: "ZstdLibrary", pkgConfig: zstdIsInSystem ? nil : "libzstd",
            providers: [.apt(["libzstd-dev"]), .brew(["zstd"]), .yum(["libzstd-devel"])]),
        .target(name: "CPlatform"),
        .target(name: "CProcess"),
        .target(name: "CSandbox"),
        .target(name: "CKeyring"),
        .target(name: "CServe"),
        // The commit, which `make install` writes into flick.
        .target(name: "CVersion"),

        .target(name: "CTestTerminal", path: "Tests/CTestTerminal"),
        .target(name: "CHostileDecoder", path: "Tests/CHostileDecoder"),
        .target(name: "CFullDisk", path: "Tests/CFullDisk"),
        .target(name: "COldCurl", dependencies: ["CurlLibrary"], path: "Tests/COldCurl"),
        .target(
            name: "TestSupport",
            dependencies: ["Model", "Platform", "Ranking", "TermGraphics", "Wire", "Threads", "CTestTerminal"],
            path: "Tests/TestSupport", swiftSettings: optimizedInTests),
        .executableTarget(
            name: "flick-bench",
            dependencies: [
                "TestSupport", "Bytes", "HTTP", "Cache", "Ranking", "TermGraphics", "Wire", "Model", "Platform",
                "Threads",
            ],
            path: "Tests/Benchmarks/FlickBenchmarks"),
        .executableTarget(
            name: "flick-screens", dependencies: ["TestSupport", "TermGraphics", "Model"], path: "Tests/Screens"),
        .executableTarget(
            name: "flick-hostile-decoder", dependencies: ["TestSupport", "Wire", "CSandbox", "CHostileDecoder"],
            path: "Tests/HostileDecoder"),
        .testTarget(name: "ModelTests", dependencies: ["Model"]),
        .testTarget(name: "PlatformTests", dependencies: ["Platform", "Threads", "TestSupport"]),
        .testTarget(
            name: "LoudnessTests", dependencies: ["Loudness", "TestSupport"], swiftSettings: optimizedInTests),
        .testTarget(name: "RankingTests", dependencies: ["Ranking", "Model", "Platform", "TestSupport"]),
        .testTarget(name: "DatabasesTests", dependencies: ["Databases", "Platform", "Threads", "TestSupport"]),
        .testTarget(name: "CharsetTests", dependencies: ["Charset"]),
        .testTarget(name: "CaptionsTests", dependencies: ["Captions", "Model", "TestSupport"]),
        .testTarget(
            name: "UITests", dependencies: ["UI", "TerminalInput", "TermGraphics", "TestSupport"], exclude: ["Goldens"]),
        .testTarget(
            name: "ScreenTests",
            dependencies: ["Screen", "TerminalInput", "TermGraphics", "TestSupport", "Platform", "Threads"]),
        .testTarget(name: "TerminalInputTests", dependencies: ["TerminalInput", "Model", "TestSupport"]),
        .testTarget(name: "TermGraphicsTests", dependencies: ["TermGraphics", "TestSupport"]),
        .testTarget(name: "PlayerTests", dependencies: ["Player", "Platform", "TestSupport"]),
        .testTarget(
            name: "FeedServerTests",
            dependencies: ["FeedServer", "Feeds", "Model", "Platform", "Threads", "TestSupport"]),
        // They block, as what they test does: beside those that wait in tasks
        // they would keep the threads that tasks have.
        .testTarget(
            name: "FeedServerStoreTests", dependencies: ["FeedServer", "Model", "Threads", "TestSupport"]),
        .testTarget(name: "AudioTests", dependencies: ["Audio"]),
        .testTarget(
            name: "DesktopTests", dependencies: ["Desktop", "Model", "Platform", "Threads", "TestSupport"]),
        .testTarget(name: "FeedsTests", dependencies: ["Feeds", "Platform", "TestSupport"]),
        .testTarget(
            name: "EngagementTests", dependencies: ["Engagement", "Databases", "Model", "TestSupport"]),
        .testTarget(name: "BytesTests", dependencies: ["Bytes", "HTTP", "Cache", "Model", "Threads", "TestSupport"]),
        .testTarget(
            name: "MediaTests", dependencies: ["Media", "Captions", "Wire", "Model", "CProcess", "TestSupport"]),
        .testTarget(name: "WireTests", dependencies: ["Wire", "Platform", "TestSupport"]),
        .testTarget(
            name: "SandboxTests",
            dependencies: ["CSandbox", "CHostileDecoder", "Wire", "Player", "Bytes", "TestSupport"]),
        .testTarget(
            name: "AppTests",
            dependencies: [
                "App", "UI", "Screen", "TerminalInput", "Player", "Engagement", "Bytes", "HTTP", "Feeds", "Wire",
                "Model", "Platform",
                "Threads", "TestSupport",
                .product(name: "Logging", package: "swift-log"),
            ]),
        .testTarget(name: "ArchitectureTests", dependencies: [], exclude: ["strings.txt"]),
        .testTarget(
            name: "EndToEndTests", dependencies: ["TestSupport", "Threads"], exclude: ["logind.py", "service.py"]),
    ],
    swiftLanguageModes: [.v6],
    cxxLanguageStandard: .cxx17
)

// FLICK_ONLY="FeedsTests flick-decoder" builds only these targets and what they
// need: `make compat`, and a quick run of one suite.
if let only = Context.environment["FLICK_ONLY"] {
    var wanted = Set(only.split(separator: " ").map(String.init))
    var packages: Set<String> = []
    var count = 0
    while count < wanted.count {
        count = wanted.count
        for target in package.targets where wanted.contains(target.name) {
            for dependency in target.dependencies {
                switch dependency {
                case .byNameItem(let name, _), .targetItem(let name, _): wanted.insert(name)
                case .productItem(_, let package, _, _): if let package { packages.insert(package) }
                @unknown default: break
                }
            }
        }
    }
    package.dependencies.removeAll { dependency in
        guard case .sourceControl(_, let location, _) = dependency.kind else { return false }
        return !packages.contains { location.hasSuffix("/\($0)") }
    }
    package.products.removeAll { !wanted.contains($0.name) }
    package.targets.removeAll { !wanted.contains($0.name) }
}
