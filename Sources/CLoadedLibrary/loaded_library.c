// SwiftPM wants a file to compile in each target. What there is, is in the header.
