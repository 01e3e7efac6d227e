import SandboxSupport

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
