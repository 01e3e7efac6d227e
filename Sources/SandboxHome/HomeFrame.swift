import PaymentCore
import SandboxSupport

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The frame of the home's own pages, and the parts that they share.
enum HomeFrame {
    /// The pages of the menu, in its order.
    static let rooms = [
        ("/", "Home"), ("/playground", "Playground"), ("/scenarios", "Scenarios"), ("/ledger", "Ledger"),
    ]

    static func page(
        _ title: String, room: String, nonce: String, attributes: String = "", _ content: String, status: Int = 200
    ) -> HTTPResponse {
        let links = rooms.map { path, name in
            "<a href=\"\(path)\"\(path == room ? " aria-current=\"page\"" : "")>\(name)</a>"
        }
        let page = HTMLPage(
            title: title == "Home" ? "Payment sandbox" : "\(title) – Payment sandbox", nonce: nonce, content: content,
            header: """
                <header class="home"><strong>Payment sandbox</strong><nav aria-label="Rooms">\(links.joined())</nav></header>

                """,
            attributes: " class=\"wide\"\(attributes)", scriptPath: "/_sandbox/home.js", usesOwnAddress: true)
        return page.response(status: status)
    }

    /// A text that can be copied: with scripts by a button, without by hand.
    ///
    /// - Parameter scrolls: True if it stands in an area that scrolls. The keyboard has to reach it then.
    static func copyable(_ text: String, name: String, scrolls: Bool = false) -> String {
        let lines = HTMLText.escape(text, keepingLines: true)
        return "<pre\(scrolls ? " tabindex=\"0\"" : "")>\(lines)</pre>"
            + "<button type=\"button\" class=\"quiet\" data-copy=\"\(lines)\" hidden>Copy \(escape(name))</button>"
    }

    /// A list of names and values.
    static func list(_ rows: [(String, String)]) -> String {
        "<dl>\n" + rows.map { "<dt>\(escape($0))</dt><dd><bdi>\(escape($1))</bdi></dd>" }.joined(separator: "\n")
            + "\n</dl>\n"
    }

    /// One line of the log.
    static func line(_ event: HomeEvent, withPayment: Bool) -> String {
        var text =
            "<time>\(time(event.date))</time><strong>\(escape(event.kind.rawValue))</strong> \(escape(event.title))"
        if let status = event.status { text += status == 0 ? " → closed" : " → \(status)" }
        if !event.detail.isEmpty { text += " <span class=\"faint\">\(escape(event.detail))</span>" }
        if let fault = event.fault { text += " <span class=\"doubtful\">fault: \(escape(fault))</span>" }
        if withPayment, let payment = event.payment {
            text += " <a href=\"\(path(payment))\">\(escape(payment))</a>"
        }
        return "<li data-kind=\"\(event.kind.rawValue)\">\(text)</li>\n"
    }

    static func path(_ payment: String) -> String { "/ledger/" + escape(PercentCoding.encode(payment)) }

    /// A payment's state in one word, coloured.
    static func state(_ statuses: [LedgerStatus]) -> String {
        let state = LedgerState(statuses)
        let tone =
            switch state {
            case .paid, .authorized: "good"
            case .failed, .cancelled, .expired: "bad"
            case .open, .inProgress, .refunded: "faint"
            }
        return "<span class=\"\(tone)\">\(state.rawValue)</span>"
    }

    /// The rows of payments, with amount, time, payee and state. The page's script renews them by their id.
    static func payments(_ entries: some Collection<HomeLedger.Entry>, _ services: [any ListedService]) -> String {
        let rows = entries.map { entry in
            let title = services.first { $0.id == entry.service }?.title ?? entry.service
            let scenario = entry.listed?.scenario ?? entry.facts?.kind ?? "made by another program"
            return "<tr data-payment=\"\(escape(entry.id))\"><th scope=\"row\"><a href=\"\(path(entry.id))\">"
                + "\(escape(amount(of: entry) ?? "not stated"))</a></th>"
                + "<td><bdi>\(escape(entry.facts?.payee ?? "unknown payee"))</bdi></td>"
                + "<td><time>\(time(entry.date))</time></td><td class=\"words\">\(state(entry.words))</td>"
                + "<td class=\"faint\">\(escape(title)), \(escape(scenario))<br>"
                + "<small class=\"code\">\(escape(entry.id))</small></td></tr>\n"
        }
        return """
            <table class="stack" id="payments"><thead><tr><th scope="col">Amount</th><th scope="col">Payee</th>
            <th scope="col">Time (UTC)</th><th scope="col">State</th><th scope="col">Service, scenario and id</th></tr></thead><tbody>
            \(rows.joined())</tbody></table>

            """
    }

    /// Returns the price. If the payer chooses the amount, returns the amount that was taken, or nil before.
    static func amount(of entry: HomeLedger.Entry) -> String? {
        if let price = entry.facts?.amount { return NumberStyle.text(price) }
        return entry.taken?.split(separator: " ").map { NumberStyle.visitor.text(String($0)) }.joined(separator: " ")
    }

    private static func time(_ date: Date) -> String { String(RFC3339(date).text.dropFirst(11).prefix(8)) }

    /// The icon of every page: a coin that is crossed out.
    static let icon = HTTPResponse(
        status: 200,
        headers: [
            "Content-Type": "image/svg+xml", "X-Content-Type-Options": "nosniff",
            "Content-Security-Policy": "default-src 'none'",
        ],
        body: Array(
            """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><circle cx="8" cy="8" r="6.5" fill="#ffcf33" \
            stroke="#2b2200"/><path d="M3.5 12.5l9-9" stroke="#2b2200" stroke-width="2"/></svg>
            """.utf8))

    static func escape(_ text: String) -> String { HTMLText.escape(text) }
}

// MARK: - Script

/// The script of the home's pages: copies, scans, and keeps the log live. Everything else works without it.
///
/// Data from the stream is set as text, never as markup.
enum HomeScript {
    static let source = """
        "use strict";
        const $ = (id) => document.getElementById(id);

        for (const button of document.querySelectorAll("[data-copy]")) {
          button.hidden = false;
          button.addEventListener("click", async () => {
            try { await navigator.clipboard.writeText(button.dataset.copy); button.textContent = "Copied"; }
            catch { button.textContent = "Not copied: select the text instead"; }
          });
        }

        // What the page shows of payments, anew from the server: amounts and times stay in the visitor's form.
        let renewal;
        const renew = () => {
          renewal ??= setTimeout(async () => {
            renewal = undefined;
            const answer = await fetch(location.href).catch(() => undefined);
            if (!answer?.ok) return;
            const page = new DOMParser().parseFromString(await answer.text(), "text/html");
            for (const id of ["payments", "state"]) {
              const [before, after] = [$(id), page.getElementById(id)];
              if (!before || !after) continue;
              const held = before.contains(document.activeElement) && document.activeElement.getAttribute("href");
              before.replaceWith(document.importNode(after, true));
              if (held) $(id).querySelector(`a[href="${CSS.escape(held)}"]`)?.focus();
            }
          }, 100);
        };

        // The live events. The page was drawn up to the one in data-after.
        const main = document.querySelector("main");
        const log = $("log");
        if ("after" in main.dataset && "EventSource" in window) {
          const only = main.dataset.payment;
          const filter = (new URLSearchParams(location.search).get("filter") || "").toLowerCase();
          const part = (name, text, kind) => {
            const element = document.createElement(name);
            element.textContent = text;
            if (kind) element.className = kind;
            return element;
          };
          const line = (event) => {
            const item = document.createElement("li");
            item.dataset.kind = event.kind;
            item.append(part("time", event.at.slice(11, 19)), part("strong", event.kind), " " + event.title);
            if ("status" in event) item.append(event.status === 0 ? " → closed" : " → " + event.status);
            if (event.detail) item.append(" ", part("span", event.detail, "faint"));
            if (event.fault) item.append(" ", part("span", "fault: " + event.fault, "doubtful"));
            if (event.payment && !only) {
              const link = part("a", event.payment);
              link.href = "/ledger/" + encodeURIComponent(event.payment);
              item.append(" ", link);
            }
            log.prepend(item);
            while (log.children.length > 300) log.lastChild.remove();
          };
          const source = new EventSource("/_sandbox/events?after=" + main.dataset.after);
          source.onopen = () => { $("live").textContent = "live"; };
          source.onerror = () => { $("live").textContent = "not connected; trying again"; };
          source.onmessage = (message) => {
            const event = JSON.parse(message.data);
            if (only && event.payment !== only) return;
            if (event.kind === "ledger") renew();
            if (log && (!filter || JSON.stringify(event).toLowerCase().includes(filter))) line(event);
            const isEnd = event.kind === "step" && document.querySelector(".note[role=status]")
              && ["succeeded", "declined", "cancelled", "expired", "pending", "unknown", "failed"].includes(event.title);
            if (only && isEnd) location.reload();
          };
        }

        // What the camera sees is read by the browser itself, where it can; no picture leaves it.
        const scan = $("scan");
        if (scan && "BarcodeDetector" in window) {
          const state = $("scan-state");
          const camera = $("camera");
          const detector = new BarcodeDetector({formats: ["qr_code", "data_matrix", "aztec", "pdf417"]});
          const take = (codes) => {
            if (!codes.length) return false;
            $("text").value = codes[0].rawValue;
            $("read").requestSubmit();
            return true;
          };
          if (navigator.mediaDevices?.getUserMedia) {
            scan.hidden = false;
            scan.addEventListener("click", async () => {
              try {
                const stream = await navigator.mediaDevices.getUserMedia({video: {facingMode: "environment"}});
                camera.srcObject = stream;
                camera.hidden = false;
                await camera.play();
                state.textContent = "Hold the code in front of the camera.";
                const look = async () => {
                  if (take(await detector.detect(camera).catch(() => []))) {
                    for (const track of stream.getTracks()) track.stop();
                    return;
                  }
                  requestAnimationFrame(look);
                };
                look();
              } catch { state.textContent = "There is no camera, or it may not be used."; }
            });
          }
        }

        """
}
