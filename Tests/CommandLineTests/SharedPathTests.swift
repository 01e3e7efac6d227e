import CitconSandbox
import PaykitSandbox
import PayrailsSandbox
import SandboxSupport
import TestSupport
import Testing
import WalletConnectPaySandbox

@Suite("The vendors' sandboxes at one address")
struct SharedPathTests {
    @Test("They claim different paths")
    func disjoint() {
        let all = [
            WalletConnectPaySandbox.paths, CitconSandbox.paths, PayrailsSandbox.paths, PubkySandbox.paths,
        ].flatMap(\.self)
        for path in all {
            #expect(all.filter { path == $0 || path.hasPrefix($0 + "/") } == [path])
        }
    }
}
