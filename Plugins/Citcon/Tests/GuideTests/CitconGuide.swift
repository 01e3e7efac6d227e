// swift-format-ignore-file
// The code of the vendor's guide "Citcon UPI SDK iOS Documentation" 2.0.6, whose Objective-C is written in Swift here:
// only the import differs. It need not run; it must compile. A comment like `Citcon 4` says which block follows.

// Citcon 2
import CitconKit

enum CitconGuide {
    static func initialize() {
        // Citcon 3
        CPayManager.sharedInstance().setAccessToken("${your access token}")
        // Citcon 4
        CPayManager.sharedInstance().setMode(.PROD)
    }

    static func example() -> CPayRequest {
        // Citcon 1
        let order = CPayRequest()
        order.transaction.reference = "sdk_wechatpay_1647325284.794511"
        order.transaction.amount = 1
        order.transaction.currency = "USD"
        order.transaction.country = "US"
        order.transaction.note = ""

        order.payment = CPayPayment()
        order.payment?.method = "wechatpay"

        order.urls.ipn = "https://ipn.merchants.com/"
        order.urls.success = "https://success.merchants.com/"
        order.urls.cancel = "https://cancel.merchants.com/"
        order.urls.fail = "https://fail.merchants.com/"
        // Citcon: as the guide's table has it
        order.universalLink = "https://universallink.com/apps"
        return order
    }
}

@MainActor final class CitconCheckout {
    func pay() {
        // Citcon 8
        let order = CPayRequest()
        order.transaction.reference = "wechatpay_ref_123erg0234s"
        order.transaction.amount = 1
        order.transaction.currency = "USD"
        order.transaction.country = "US"
        order.transaction.note = "note"

        order.payment = CPayPayment()
        order.payment?.method = "wechatpay"

        order.urls.ipn = "https://ipn.com/"
        order.urls.success = "https://success.com/"
        order.urls.cancel = "https://cancel.com/"
        order.urls.fail = "https://fail.com/"

        // Citcon 9
        CPayManager.sharedInstance().requestOrder(order) { resp in
            if resp?.status == "success" {
                NSLog("Txn Id: \(resp?.data.id ?? "")")
                NSLog("Ref Id: \(resp?.data.reference ?? "")")
                NSLog("Amount: \(resp?.data.amount ?? 0)")
                NSLog("Currency: \(resp?.data.currency ?? "")")
                NSLog("PaymentMethod: \(resp?.data.payment?.method ?? "")")
                NSLog("AutoCapture: \(resp?.data.autoCapture == true ? "true" : "false")")
                NSLog("Txn status: \(resp?.data.status ?? "")")
                NSLog("TimeCreated: \(resp?.data.timeCreated ?? 0)")
                NSLog("ChargeToken: \(resp?.data.chargeToken ?? "")")
            }
        }

        // Citcon 10
        CPayManager.sharedInstance().requestOrder(order) { resp in
            // resp is the CPayResult instance of the synchronization result of the payment
        }
    }
}

final class CitconObserver: Sendable {
    func observe() {
        // Citcon 11
        NotificationCenter.default.addObserver(
            forName: Notification.Name(CPayRuntimeInst.NTFY_ASYNC()), object: nil, queue: nil, using: onAsyncResult)
    }

    // Citcon 12
    @Sendable  // The reader's own: Swift asks for it.
    func onAsyncResult(_ notification: Notification) {
        let resp = notification.object as? CPayCheck
        _ = resp  // The reader's own.
    }
}

#if canImport(UIKit)
import UIKit

// Who hands URLs over to the manager: an application's delegate.
@MainActor final class CitconDelegate {
    // Citcon 5
    func application(_ app: UIApplication, open url: URL, sourceApplication: String?, annotation: Any) -> Bool {
        return CPayManager.sharedInstance().handleUrl(app, open: url, options: [:])
    }

    // Citcon 6
    func application(_ app: UIApplication, open url: URL, options: [UIApplication.OpenURLOptionsKey: Any]) -> Bool {
        return CPayManager.sharedInstance().handleUrl(app, open: url, options: options)
    }

    // Citcon 7
    func application(
        _ application: UIApplication, continue userActivity: NSUserActivity,
        restorationHandler: @escaping ([any UIUserActivityRestoring]?) -> Void
    ) -> Bool {
        CPayManager.sharedInstance().handleUniversalLink(userActivity)
        return true
    }

    // Citcon: the method for scenes
    func scene(_ scene: UIScene, openURLContexts URLContexts: Set<UIOpenURLContext>) {
        CPayManager.sharedInstance().handleScene(URLContexts)
    }
}
#endif
