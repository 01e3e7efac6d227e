/// More about the transaction, the device and the gateway. In the vendor's SDK, not in its guide.
public final class CPayExt: CPayConfidential {
    /// More about the transaction.
    public var transaction: CPayExtTransaction?
    /// The device.
    public var device: CPayExtDevice?
    /// The application; known from later releases.
    public var app: CPayExtApp?
    /// The gateway's data for confirmation; known from later releases.
    public var gateway: CPayExtGateway?

    /// Creates an empty value.
    public init() {}
}

/// More about the transaction.
public final class CPayExtTransaction: CPayConfidential {
    /// The receipt that Korean payers may ask for.
    public var receipt: CPayExtReceipt?
    /// Free text of the merchant; known from later releases.
    public var metadata: String?

    /// Creates an empty value.
    public init() {}
}

/// A Korean cash receipt.
public final class CPayExtReceipt: CPayConfidential {
    /// `income_deduction`, `expense_proof` or `not_issued`.
    public var type: String?

    /// Creates an empty value.
    public init() {}
}

/// The name that the vendor's SDK has for ``CPayExtReceipt``.
public typealias CPayExtTransactionReceipt = CPayExtReceipt

/// The device. Cards through Fomo need its address.
public final class CPayExtDevice: CPayConfidential {
    /// The IP address.
    public var ip: String?
    /// The operating system.
    public var os: String?
    /// The operating system's version; known from later releases, as are the two that follow.
    public var osVersion: String?
    /// The device model.
    public var model: String?
    /// A value that distinguishes the device from others.
    public var fingerprint: String?

    /// Creates an empty value.
    public init() {}
}

/// The application.
public final class CPayExtApp: CPayConfidential {
    /// The name. On the wire it is called `app_name`.
    public var appName: String?
    /// The version.
    public var version: String?
    /// The source of the application.
    public var source: String?
    /// The bundle id.
    public var bundleId: String?
    /// The version of the SDK in the application.
    public var sdkVersion: String?

    /// Creates an empty value.
    public init() {}
}

extension CPayExtApp {
    // The vendor's own spelling, of these two alone.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// ``bundleId``, as the vendor's SDK spells it.
    public var bundle_id: String? {
        get { bundleId }
        set { bundleId = newValue }
    }

    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// ``sdkVersion``, as the vendor's SDK spells it.
    public var sdk_version: String? {
        get { sdkVersion }
        set { sdkVersion = newValue }
    }
}
