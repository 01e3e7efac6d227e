import CLzma

/// Raw LZMA, the packing of PAY by square. Source: the LZMA SDK's `lzma1` filter, through liblzma.
enum LZMAStream {
    /// Returns the unpacked bytes of `packed`.
    ///
    /// - Parameters:
    ///   - size: The required number of bytes. A bomb stops there: no byte beyond is ever written.
    ///   - dictionary: The size of the dictionary in bytes.
    /// - Returns: Nil when the stream is damaged, or ends before `size` bytes.
    static func unpack(_ packed: some Collection<UInt8>, size: Int, dictionary: UInt32) -> [UInt8]? {
        var options = lzma_options_lzma()
        options.dict_size = dictionary
        options.lc = 3
        options.lp = 0
        options.pb = 2
        let bytes = Array(packed)
        return withUnsafeMutablePointer(to: &options) { options in
            // LZMA_FILTER_LZMA1 and LZMA_VLI_UNKNOWN are macros that Swift does not see.
            let filters = [
                lzma_filter(id: 0x4000_0000_0000_0001, options: UnsafeMutableRawPointer(options)),
                lzma_filter(id: .max, options: nil),
            ]
            var stream = lzma_stream()
            guard lzma_raw_decoder(&stream, filters) == LZMA_OK else { return nil }
            defer { lzma_end(&stream) }
            let unpacked = bytes.withUnsafeBufferPointer { input in
                [UInt8](unsafeUninitializedCapacity: size) { output, count in
                    stream.next_in = input.baseAddress
                    stream.avail_in = input.count
                    stream.next_out = output.baseAddress
                    stream.avail_out = size
                    while stream.avail_out > 0, lzma_code(&stream, LZMA_RUN) == LZMA_OK, stream.avail_in > 0 {}
                    count = size - stream.avail_out
                }
            }
            return unpacked.count == size ? unpacked : nil
        }
    }
}
