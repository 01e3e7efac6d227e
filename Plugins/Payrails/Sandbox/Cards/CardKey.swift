import PaymentCore
import PaymentCrypto

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension PayrailsSandbox {
    /// The key with which clients encrypt card data. Its private half is public in this file: it protects nothing, and
    /// no real service uses it.
    enum CardKey {
        /// Standard base64 of the SubjectPublicKeyInfo of a 2048-bit RSA key.
        static let publicKey = """
            MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAspNX8a1jqF+gD5ghiB6aeddPlY6yyw4BIIMBRuxgKryGG9r1O67S\
            OVOHjPQnfJbrzzDcH8Ie4MUAUAs/ttqzy8KOsKdkJ/yjgPhOpSw7VSxfFqPDcBajeCKpcKM+wmQQLjo+wg17+ubsdKbnRP9O\
            Dk0kdYLI5InM69XbG60y2/OctRa3+oJiWduNpWkmQNrDLBijKOuzaXaK5x/4Nau8NC7gdKZ8YZE39DeCwNqNTFxpGxDs5NA1\
            0a8T1SH0E5vhgwfhRaDsB0EL5qUPrkND2OdIQu7vtt+JxG8tfS8uZ2+KiwI9P8JE/pjmAOnPeCbePSwKpKjpQl8Npbs/U991\
            QwIDAQAB
            """

        /// Returns the content of `message`, a compact JWE.
        ///
        /// - Throws: ``PayrailsSandboxError`` if the message was not made for this key in the one way that clients
        ///   encrypt.
        static func open(_ message: String) throws(PayrailsSandboxError) -> JSONValue {
            guard let der = Data(base64Encoded: privateKey), let key = try? RSAPrivateKey(pkcs8: Array(der)) else {
                throw .internalError
            }
            let plaintext = try? JWE.decrypt(message, with: key, readHeader: header)
            guard let plaintext, let value = try? JSONValue(parsing: plaintext), value.object != nil else {
                throw .invalid("encryptedData", "cannot be decrypted")
            }
            return value
        }

        /// Returns the members of a header if all of them are texts; otherwise nil.
        private static func header(_ bytes: [UInt8]) -> [String: String]? {
            guard let members = (try? JSONValue(parsing: bytes))?.object else { return nil }
            let texts = members.compactMapValues(\.string)
            return texts.count == members.count ? texts : nil
        }

        /// Standard base64 of the key in PKCS #8 form.
        private static let privateKey = """
            MIIEuwIBADANBgkqhkiG9w0BAQEFAASCBKUwggShAgEAAoIBAQCyk1fxrWOoX6APmCGIHpp510+VjrLLDgEggwFG7GAqvIYb\
            2vU7rtI5U4eM9Cd8luvPMNwfwh7gxQBQCz+22rPLwo6wp2Qn/KOA+E6lLDtVLF8Wo8NwFqN4Iqlwoz7CZBAuOj7CDXv65ux0\
            pudE/04OTSR1gsjkiczr1dsbrTLb85y1Frf6gmJZ242laSZA2sMsGKMo67NpdornH/g1q7w0LuB0pnxhkTf0N4LA2o1MXGkb\
            EOzk0DXRrxPVIfQTm+GDB+FFoOwHQQvmpQ+uQ0PY50hC7u+234nEby19Ly5nb4qLAj0/wkT+mOYA6c94Jt49LAqkqOlCXw2l\
            uz9T33VDAgMBAAECgf96btbv7t4iiQ6mYA+50f9GzHSxFWeAHDZdvrZtSL927GI1mnfK2/UNWMXZPPSmR7a6hoLqE9haL+aV\
            M4AARpyzDXh7bKem6LXI77fyfXP3pa1AQLto5Uv/Lm9JRfibh3qs9L1nybEHs710FzNvZrfIMs/fYqXVAWMowBgan0YjAY5l\
            JeCAnDgYdKKuWX3D1Ui+ov0FRBPTQXNj/i1Ek2rsbwvEVCb+6L9bQF5tAd4g+hv6XEuL9fZiWjZyD539N+71iPRTA6Ztglp/\
            20Jph0KeXQQxIkdbyLZQkijsQF080F7ENjeTMnbgHP9IqwJM6Iyb6dgW4xztpgENsTK8aJkCgYEA4fEKQobbaH39bvkaRTdi\
            TXY0cw3oTSKtxp4th6zU9d26kYlc+63U4sVAIp+a/r9gLRYdr0SzUMHaZdmwGk6PDT0Zg87dazVXj7XffRsoQvSzl0PMbuvF\
            n6m7vSeXN0aMwlnSr4gnWfMxvDhH1285q3QsNXp5fUn+LsCYuTe2VOUCgYEAylUlLmKug0hGEXR5MgH5jLDEU9ONYqHcrPpn\
            RGXsu7lB2BtbxW2i4sKapV4smZacfPZ9Zz957jps5rpGmO1Dt96qDFC5tX4qP/IgaFE9nyvXT0ZwF2J7NYi0XgDwWvI5FWd9\
            vom7fR3Koy5ofy89NHYbNUMMVngovA4J5uIfZwcCgYBNhJqFiqk6Z4eNDHAj8UWL2BNUqh/aXxyJ+XkbhIOoO0OobR12yAQz\
            LYO8nU/bOSOxNFZI7OQsv+XDbfWKgQt5ek4Ht/CluK5rAvZDgQ7GMhhvvHYmVEQAbIaZ9jxeXZkrkQ/E44zEwrh8oD6dvm5l\
            0bzdOED4aGuJ9NAxM9kdtQKBgEjwzQid1p/JTEk6nf5jK92GVCCMIWovQ+iwFM5ZmDBMpuoLYtgXoCLzWODIxHdSDnQWQDsa\
            bRBuy5eaC51R25nLka4C5BADvaNz3C7/KqHZIjOYBwzHGffAopVI7V07+Uw4FOK9sHN4a/bL4iwHkZ75/PEEjMwXYUf6H6O2\
            XO+9AoGBALnvo6W/LVamIYRHbx1qt0o+Bm4gM9Ihnoh0jWLcrf+74OWWt0aAjjjf9sjQ/djIWBc3K+yKTUi1MFPISYwsE/LK\
            Yco+ITVxHRdBq0g0BkB36rQrjxEQ67lHnTkWZA4YZuii+dXT0lgN6ui1SOlD2XcOIg7hUPeXDYkpokROobSf
            """
    }
}
