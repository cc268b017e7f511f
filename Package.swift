// swift-tools-version: 6.1
import PackageDescription

// The graph of targets is drawn and explained in docs/architecture.md. A test greps imports and keeps it true:
// each foreign library has exactly one importer.

let package = Package(
    name: "flick",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "flick", targets: ["flick"]),
        .executable(name: "flick-decoder", targets: ["flick-decoder"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/LebJe/TOMLKit", from: "0.6.0"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
    ],
    targets: [
        // Executables: arguments and exit codes, nothing else.
        .executableTarget(
            name: "flick",
            dependencies: ["App", "Model", .product(name: "ArgumentParser", package: "swift-argument-parser")]),
        .executableTarget(name: "flick-decoder", dependencies: ["Media", "Wire"]),

        // The process that owns the terminal.
        .target(
            name: "App",
            dependencies: [
                "UI", "Screen", "TermGraphics", "Player", "Audio", "Feeds", "Bytes", "HTTP", "Cache", "Wire", "Model",
                "Threads", "CKeyring", .product(name: "Logging", package: "swift-log"),
                .product(name: "TOMLKit", package: "TOMLKit"),
            ]),
        .target(name: "UI", dependencies: ["Model"]),
        .target(name: "Screen", dependencies: ["UI", "TermGraphics", "Model", "CNcurses"]),
        .target(name: "TermGraphics", dependencies: ["Model"]),
        .target(name: "Player", dependencies: ["Wire", "Bytes", "Audio", "Model", "Threads"]),
        .target(name: "Audio", dependencies: ["Threads", "CSDL2"]),
        .target(name: "Feeds", dependencies: ["Bytes", "Model", "Threads"]),
        .target(name: "Bytes", dependencies: ["HTTP", "Cache", "Model", "Threads"]),
        .target(
            name: "HTTP",
            dependencies: [
                "Model", "Threads", .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
            ]),
        .target(
            name: "Cache",
            dependencies: [
                "Model", "Threads", .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Crypto", package: "swift-crypto"),
            ]),
        .target(name: "Model"),
        .target(name: "Threads"),

        // The process that parses media, and the language the two speak.
        .target(name: "Media", dependencies: ["Wire", "Threads", "CFFmpeg"]),
        .target(name: "Wire", dependencies: ["CProcess"]),

        // C libraries, each behind its one importer.
        .target(
            name: "CFFmpeg",
            linkerSettings: [
                .linkedLibrary("avformat"), .linkedLibrary("avcodec"), .linkedLibrary("avutil"),
                .linkedLibrary("swscale"), .linkedLibrary("swresample"),
            ]),
        .target(
            name: "CNcurses",
            linkerSettings: [.linkedLibrary("ncursesw"), .linkedLibrary("tinfo", .when(platforms: [.linux]))]),
        .target(name: "CSDL2", linkerSettings: [.linkedLibrary("SDL2")]),
        .target(name: "CProcess"),
        .target(name: "CKeyring"),

        .target(name: "CTestTerminal", path: "Tests/CTestTerminal"),
        .target(
            name: "TestSupport", dependencies: ["Bytes", "Model", "Wire", "Threads", "CTestTerminal"],
            path: "Tests/TestSupport"),
        .executableTarget(
            name: "flick-bench", dependencies: ["TestSupport", "Bytes", "HTTP", "Cache", "Model", "Threads"],
            path: "Tests/Benchmarks/FlickBenchmarks"),
        .testTarget(name: "ModelTests", dependencies: ["Model"]),
        .testTarget(name: "UITests", dependencies: ["UI", "TestSupport"], exclude: ["Goldens"]),
        .testTarget(name: "ScreenTests", dependencies: ["Screen", "TestSupport"]),
        .testTarget(name: "TermGraphicsTests", dependencies: ["TermGraphics", "TestSupport"]),
        .testTarget(name: "PlayerTests", dependencies: ["Player", "TestSupport"]),
        .testTarget(name: "AudioTests", dependencies: ["Audio"]),
        .testTarget(name: "FeedsTests", dependencies: ["Feeds", "TestSupport"]),
        .testTarget(name: "BytesTests", dependencies: ["Bytes", "HTTP", "Cache", "Model", "Threads", "TestSupport"]),
        .testTarget(name: "MediaTests", dependencies: ["Media", "Wire", "CProcess", "TestSupport"]),
        .testTarget(name: "WireTests", dependencies: ["Wire", "TestSupport"]),
        .testTarget(
            name: "AppTests",
            dependencies: [
                "App", "UI", "Bytes", "Feeds", "Wire", "Model", "TestSupport",
                .product(name: "Logging", package: "swift-log"),
            ]),
        .testTarget(name: "ArchitectureTests", dependencies: []),
        .testTarget(name: "EndToEndTests", dependencies: ["TestSupport"]),
    ],
    swiftLanguageModes: [.v6]
)
