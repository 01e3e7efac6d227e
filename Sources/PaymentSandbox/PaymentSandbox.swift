// Each vendor's sandbox, for programs that want all of them.
@_exported public import CitconSandbox
@_exported public import PaykitSandbox
@_exported public import PayrailsSandbox
@_exported public import WalletConnectPaySandbox
