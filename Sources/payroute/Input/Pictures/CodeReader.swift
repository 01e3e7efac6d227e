import CZBar

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Reads QR codes from a picture file: PNG or JPEG.
enum CodeReader {
    /// The largest file: a camera's picture is a quarter of it.
    private static let maximumBytes = 64 << 20

    /// Returns the texts of the codes in the file called `name`, in the order in which they were found.
    ///
    /// - Throws: ``CommandError`` when it cannot be read, is no such picture, or has no code in it.
    static func texts(in name: String) throws -> [String] {
        try texts(of: try bytes(of: name), called: Printable.text(name))
    }

    /// Returns the same for a file in memory; `shown` is its name in errors.
    static func texts(of file: [UInt8], called shown: String) throws -> [String] {
        let texts: [String]
        if file.starts(with: PNGPicture.signature) {
            let picture: PNGPicture
            do { picture = try PNGPicture(file) } catch {
                throw CommandError(description: "\(shown) cannot be read: \(error)")
            }
            texts = try codes(in: picture)
        } else if file.starts(with: [0xFF, 0xD8, 0xFF]) {
            guard let size = jpegSize(file) else {
                throw CommandError(description: "\(shown) cannot be read: the JPEG file is damaged")
            }
            texts = try scan(file, width: size.width, height: size.height, format: "JPEG")
        } else {
            throw CommandError(
                description: "\(shown) is no PNG or JPEG file; save the picture as one, or take a screenshot of it")
        }
        guard !texts.isEmpty else {
            throw CommandError(
                description:
                    "no QR code was found in \(shown); it has to be whole, sharp and with a light edge around it")
        }
        return texts
    }

    private static func bytes(of name: String) throws -> [UInt8] {
        func failure(_ why: String) -> CommandError {
            CommandError(description: "\(Printable.text(name)) cannot be read: \(why)")
        }
        let descriptor = open(name, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(String(cString: strerror(errno))) }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        while bytes.count <= maximumBytes {
            let count = read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw failure(String(cString: strerror(errno))) }
            if count == 0 { return bytes }
            bytes += chunk[..<count]
        }
        throw failure("it is larger than \(maximumBytes >> 20) MiB")
    }

    // MARK: Looking

    private static func codes(in picture: PNGPicture) throws -> [String] {
        var picture = (width: picture.width, height: picture.height, grey: picture.grey)
        // Modules of one or two pixels are too small for the scanner.
        if max(picture.width, picture.height) < 300 { picture = enlarged(picture, 4) }
        let texts = try scan(picture.grey, width: picture.width, height: picture.height, format: "Y800")
        guard texts.isEmpty else { return texts }
        // Light on dark, as dark screens show codes.
        return try scan(picture.grey.map { 255 - $0 }, width: picture.width, height: picture.height, format: "Y800")
    }

    private static func enlarged(
        _ picture: (width: Int, height: Int, grey: [UInt8]), _ times: Int
    ) -> (width: Int, height: Int, grey: [UInt8]) {
        var grey: [UInt8] = []
        for row in 0..<picture.height {
            let line = picture.grey[row * picture.width..<(row + 1) * picture.width].flatMap {
                repeatElement($0, count: times)
            }
            for _ in 0..<times { grey += line }
        }
        return (picture.width * times, picture.height * times, grey)
    }

    private static func scan(_ bytes: [UInt8], width: Int, height: Int, format: String) throws -> [String] {
        func codes(asBytes: Bool) throws -> [[UInt8]] {
            try Self.codes(bytes, width: width, height: height, format: format, asBytes: asBytes)
        }
        var converted: [[UInt8]]?
        var texts: [String] = []
        for (index, code) in try codes(asBytes: true).enumerated() {
            var text = CodeBytes.text(code)
            if text == nil {
                // The library's conversion is a guess but where the code names its character set.
                if converted == nil { converted = try codes(asBytes: false) }
                let guess = (converted ?? []).indices.contains(index) ? converted?[index] : nil
                text = CodeBytes.text(code, convertedTo: guess.flatMap { String(validating: $0, as: UTF8.self) })
            }
            if let text, !texts.contains(text) { texts.append(text) }
        }
        return texts
    }

    /// Returns the content of each code, as its bytes or as the library converts them to UTF-8.
    private static func codes(
        _ bytes: [UInt8], width: Int, height: Int, format: String, asBytes: Bool
    ) throws -> [[UInt8]] {
        var codes: [[UInt8]] = []
        let count = withUnsafeMutablePointer(to: &codes) { codes in
            bytes.withUnsafeBytes { bytes in
                czbar_scan(
                    bytes.baseAddress, bytes.count, UInt32(width), UInt32(height), format, asBytes ? 1 : 0,
                    { context, text, length in
                        guard let codes = context?.assumingMemoryBound(to: [[UInt8]].self), let text else { return }
                        codes.pointee.append(Array(UnsafeRawBufferPointer(start: text, count: Int(length))))
                    }, codes)
            }
        }
        guard count != CZBAR_MISSING, count != CZBAR_OLD else {
            throw CommandError(
                description: "reading codes from pictures needs the library libzbar"
                    + (count == CZBAR_OLD
                        ? ", 0.23.1 or newer" : "; 'make deps' installs it (apt: libzbar0, brew: zbar)"))
        }
        guard count >= 0 else { throw CommandError(description: "the picture cannot be looked at: it is damaged") }
        return codes
    }

    /// Width and height, from the first frame header of a JPEG file (ITU-T T.81, B.2.2).
    private static func jpegSize(_ file: [UInt8]) -> (width: Int, height: Int)? {
        var position = 2
        while position + 9 < file.count {
            guard file[position] == 0xFF else { return nil }
            let marker = file[position + 1]
            if marker == 0xFF {
                position += 1
                continue
            }
            let length = Int(file[position + 2]) << 8 | Int(file[position + 3])
            if 0xC0...0xCF ~= marker, ![0xC4, 0xC8, 0xCC].contains(marker) {
                let height = Int(file[position + 5]) << 8 | Int(file[position + 6])
                let width = Int(file[position + 7]) << 8 | Int(file[position + 8])
                guard width > 0, height > 0, width * height <= PNGPicture.maximumPixels else { return nil }
                return (width, height)
            }
            guard length >= 2 else { return nil }
            position += 2 + length
        }
        return nil
    }
}
