import Foundation

/// A file that no longer has a name.
package struct ScratchFile {
    package let descriptor: Int32

    package init(_ content: [UInt8] = []) {
        var template = Array((NSTemporaryDirectory() + "/payroute-test-XXXXXX").utf8CString)
        descriptor = mkstemp(&template)
        precondition(descriptor >= 0, "the temporary folder must be writable")
        unlink(template)
        _ = content.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        lseek(descriptor, 0, SEEK_SET)
    }

    /// The whole content of the file.
    package var content: [UInt8] {
        lseek(descriptor, 0, SEEK_SET)
        return Array(FileHandle(fileDescriptor: descriptor).readDataToEndOfFile())
    }
}
