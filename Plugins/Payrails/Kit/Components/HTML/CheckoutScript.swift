import PaymentCore
import PayrailsProvider

/// The page's script: checks fields during typing, encrypts cards, and changes the page in place.
///
/// The page works without it. The script decides nothing: the server checks everything again, with the same rules. The
/// script never repeats a request that the server may have received, stores nothing and connects to the page's own
/// origin only.
enum CheckoutScript {
    static let source: StaticString = #"""
        "use strict";
        const digits = (text) => text.replace(/[^0-9]/g, "");

        // The rules of cards; the tables come from the server.
        export const cardRules = (rules) => {
          const begins = (number, [low, high, length]) =>
            number.length >= length && +number.slice(0, length) >= low && +number.slice(0, length) <= high;
          const brand = (text) => {
            const number = digits(text);
            return rules.brands.find((one) => one.prefixes.some((prefix) => begins(number, prefix))) ?? rules.unknown;
          };
          const luhn = (number) => [...number].reverse().reduce((sum, digit, place) => {
            const value = +digit * (place % 2 + 1);
            return sum + (value > 9 ? value - 9 : value);
          }, 0) % 10 === 0;
          const [nowYear, nowMonth] = rules.now;
          const isYear = (year) => year >= nowYear && year <= nowYear + rules.yearsAhead;
          const isOver = (year, month) => year < nowYear || (year === nowYear && month < nowMonth);
          const isMonth = (text) => text === "1" || /^(0[1-9]|1[0-2])$/.test(text);
          return {
            brand,
            format(name, text) {
              const number = digits(text);
              switch (name) {
                case "card_number": {
                  const groups = [];
                  let rest = number;
                  for (const size of brand(number).groups) {
                    if (rest) groups.push(rest.slice(0, size));
                    rest = rest.slice(size);
                  }
                  return groups.join(" ");
                }
                case "expiry_date": {
                  // Browsers fill in MM/YYYY too.
                  const short = number.length === 6 ? number.slice(0, 2) + number.slice(4) : number.slice(0, 4);
                  return short.length > 2 ? `${short.slice(0, 2)}/${short.slice(2)}` : short;
                }
                case "expiry_month": return number.slice(0, 2);
                case "expiry_year": return number.slice(0, 4);
                case "security_code": return number.slice(0, 4);
                default: return text;
              }
            },
            isRight(name, values) {
              const text = values[name] ?? "";
              switch (name) {
                case "card_number": {
                  const number = digits(text);
                  return /^([0-9][ -]?)+$/.test(text) && brand(number).lengths.includes(number.length) && luhn(number);
                }
                case "security_code":
                  return /^[0-9]+$/.test(text) && text.length === brand(values.card_number ?? "").code;
                case "expiry_month": {
                  if (!isMonth(text)) return false;
                  const year = values.expiry_year ?? "";
                  return !/^[0-9]{4}$/.test(year) || !isYear(+year) || !isOver(+year, +text);
                }
                case "expiry_year": return /^[0-9]{4}$/.test(text) && isYear(+text);
                case "expiry_date": {
                  const parts = /^(0[1-9]|1[0-2])\/([0-9]{2})$/.exec(text);
                  if (!parts) return false;
                  const year = 2000 + +parts[2];
                  return year <= nowYear + rules.yearsAhead && !isOver(year, +parts[1]);
                }
                case "cardholder_name": return /^[a-zA-Z ,.'\-]{2,}$/.test(text);
                default: return true;
              }
            },
          };
        };

        // Compact JWE, RSA-OAEP-256 and A256CBC-HS512 (RFC 7516, RFC 7518 section 5.2).
        export const encrypt = async (key, text) => {
          const utf8 = new TextEncoder();
          const base64 = (bytes) => btoa(String.fromCharCode(...new Uint8Array(bytes)))
            .replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
          const der = Uint8Array.from(atob(key), (character) => character.charCodeAt(0));
          const recipient = await crypto.subtle.importKey(
            "spki", der, {name: "RSA-OAEP", hash: "SHA-256"}, false, ["encrypt"]);
          const header = base64(utf8.encode('{"alg":"RSA-OAEP-256","enc":"A256CBC-HS512"}'));
          const content = crypto.getRandomValues(new Uint8Array(64));
          const vector = crypto.getRandomValues(new Uint8Array(16));
          const wrapped = await crypto.subtle.encrypt({name: "RSA-OAEP"}, recipient, content);
          const cipherKey = await crypto.subtle.importKey("raw", content.slice(32), "AES-CBC", false, ["encrypt"]);
          const sealed = new Uint8Array(
            await crypto.subtle.encrypt({name: "AES-CBC", iv: vector}, cipherKey, utf8.encode(text)));
          const macKey = await crypto.subtle.importKey(
            "raw", content.slice(0, 32), {name: "HMAC", hash: "SHA-512"}, false, ["sign"]);
          const data = utf8.encode(header);
          const length = new Uint8Array(8);
          new DataView(length.buffer).setUint32(4, data.length * 8);
          const mac = await crypto.subtle.sign("HMAC", macKey, new Uint8Array([...data, ...vector, ...sealed, ...length]));
          content.fill(0);
          return [header, base64(wrapped), base64(vector), base64(sealed), base64(mac.slice(0, 32))].join(".");
        };

        const page = () => document.querySelector("main#checkout");
        let isSending = false;
        let timer;
        let shown = "";

        const tell = (text, isProblem) => {
          const paragraph = document.createElement("p");
          paragraph.textContent = text;
          paragraph.className = isProblem ? "problem" : "";
          page().querySelector("#result").replaceChildren(paragraph);
        };

        const lock = (isLocked) => {
          page().ariaBusy = isLocked ? "true" : null;
          for (const button of page().querySelectorAll("button:not([hidden])")) button.disabled = isLocked;
        };

        // Puts the answer in the place of what is shown. Scripts in it do not run.
        const show = (text, isAsked) => {
          // The style sheet is here already; the answer's own would be refused, and the refusal reported.
          const next = new DOMParser().parseFromString(text.replace(/<style[^]*?<\/style>/, ""), "text/html");
          const main = next.querySelector("main#checkout");
          if (!main) return location.reload();
          if (!isAsked && main.innerHTML === shown) return watch();
          document.title = next.title;
          page().replaceWith(document.adoptNode(main));
          wire();
          // The place that is listened to has to be filled after it is there.
          const result = main.querySelector("#result");
          const told = [...result.childNodes];
          result.replaceChildren();
          requestAnimationFrame(() => {
            result.replaceChildren(...told);
            main.querySelector("[autofocus]")?.focus();
          });
        };

        const send = async (form, button, changed) => {
          if (isSending) return;
          isSending = true;
          try {
            const body = new URLSearchParams(new FormData(form, button));
            await changed?.(body);
            lock(true);
            tell(page().dataset.processing, false);
            // Not form.action: that is the field of this name.
            const answer = await fetch(form.getAttribute("action"), {method: "POST", body, headers: {Accept: "text/html"}});
            const text = await answer.text();
            if (!answer.ok) throw new Error(answer.statusText);
            show(text, true);
          } catch {
            // It may have been received: asking again could pay twice.
            tell(page().dataset.lost, true);
          } finally {
            isSending = false;
          }
        };

        const watch = () => {
          clearTimeout(timer);
          if (page().dataset.busy !== "true") return;
          timer = setTimeout(async () => {
            if (isSending) return watch();
            try {
              const answer = await fetch(location.href, {headers: {Accept: "text/html"}});
              if (answer.ok) return show(await answer.text(), false);
            } catch {}
            watch();
          }, 1000);
        };

        const wireCard = (form) => {
          const rules = JSON.parse(page().dataset.rules);
          const card = cardRules(rules);
          const fields = [...form.querySelectorAll(".field input")];
          const visited = new Set(fields.filter((field) => field.ariaInvalid === "true"));
          // What is wrong is told once a field is left, and not while it is edited; but whoever pressed Pay is told at
          // once.
          const refused = new Set();
          const values = () => Object.fromEntries(fields.map((field) => [field.name, field.value]));
          const check = () => {
            const all = values();
            for (const field of fields) {
              const isRight = card.isRight(field.name, all);
              const isEdited = field === document.activeElement && !refused.has(field);
              const isTold = !isRight && visited.has(field) && !isEdited;
              field.dataset.state = isRight ? "completed" : "base";
              if (isTold) field.ariaInvalid = "true"; else field.removeAttribute("aria-invalid");
              form.querySelector(`#${field.name}-error`).hidden = !isTold;
            }
            const sign = form.querySelector("#brand");
            const name = card.brand(all.card_number ?? "").name;
            if (sign) sign.value = all.card_number && name !== rules.unknown.name ? name : "";
            return fields.find((field) => !card.isRight(field.name, all));
          };
          let code = 0;
          for (const field of fields) {
            field.addEventListener("input", () => {
              refused.delete(field);
              const atEnd = field.selectionStart === field.value.length;
              // In the middle of the text, and while a slash or a space is taken away, the caret stays where it is.
              if (atEnd) {
                const next = card.format(field.name, field.value);
                if (next !== field.value) field.value = next;
              }
              const length = card.brand(values().card_number ?? "").code;
              const codeField = form.querySelector("#security_code");
              if (field.name === "card_number" && length !== code) {
                if (code && codeField) codeField.value = "";
                code = length;
              }
              if (codeField) codeField.maxLength = length;
              check();
            });
            field.addEventListener("blur", () => {
              visited.add(field);
              if (field.name === "expiry_month" && /^[1-9]$/.test(field.value)) field.value = `0${field.value}`;
              field.value = card.format(field.name, field.value);
              check();
            });
            field.addEventListener("focus", check);
          }
          form.noValidate = true;
          code = card.brand(values().card_number ?? "").code;
          check();
          form.addEventListener("submit", (event) => {
            event.preventDefault();
            document.activeElement?.blur();
            for (const field of fields) {
              visited.add(field);
              refused.add(field);
            }
            const wrong = check();
            if (wrong) return wrong.focus();
            send(form, event.submitter, async (body) => {
              if (!rules.key || !globalThis.crypto?.subtle) return;
              const all = values();
              const date = (all.expiry_date ?? "").split("/");
              const text = {
                holderReference: rules.holder, cardNumber: digits(all.card_number),
                expiryMonth: (all.expiry_month ?? date[0]).padStart(2, "0"),
                expiryYear: all.expiry_year ?? `20${date[1]}`, securityCode: all.security_code,
              };
              if (all.cardholder_name) text.holderName = all.cardholder_name;
              for (const field of fields) body.delete(field.name);
              body.set("encrypted_card", await encrypt(rules.key, JSON.stringify(text)));
            });
          });
        };

        const wireInstruments = (form) => {
          let chosen = form.querySelector("input[type=radio]:checked");
          for (const one of form.querySelectorAll("input[type=radio]")) {
            // Choosing what is chosen already gives the choice up.
            one.addEventListener("click", () => {
              if (chosen === one) one.checked = false;
              chosen = one.checked ? one : null;
            });
            one.addEventListener("keydown", (event) => {
              // Only a pay button pays.
              if (event.key === "Enter") event.preventDefault();
              if (event.key !== " " || !one.checked) return;
              event.preventDefault();
              one.checked = false;
              chosen = null;
            });
          }
        };

        const wire = () => {
          const main = page();
          shown = main.innerHTML;
          for (const form of main.querySelectorAll("form")) {
            if (form.id === "card") wireCard(form);
            else form.addEventListener("submit", (event) => {
              event.preventDefault();
              send(form, event.submitter);
            });
            if (form.id === "stored") wireInstruments(form);
          }
          const dialog = main.querySelector("dialog");
          if (dialog) {
            dialog.close();
            dialog.showModal();
            dialog.addEventListener("cancel", (event) => {
              event.preventDefault();
              main.querySelector("#keep").requestSubmit();
            });
          }
          watch();
        };
        if (globalThis.document) wire();
        """#
}

/// The data of the page's script. The rules are those of ``CardBrand``, defined only there.
struct CheckoutRules {
    let json: JSONValue

    init(_ options: CheckoutPage.Options) {
        var members: [String: JSONValue] = [
            "brands": .array(CardBrand.all.map(Self.brand)), "unknown": Self.brand(.unknown),
            "now": [Self.number(options.currentMonth.year), Self.number(options.currentMonth.month)],
            "yearsAhead": Self.number(CardValidation.yearsAhead),
        ]
        if let key = options.encryptionKey {
            members["key"] = .string(key.subjectPublicKeyInfo)
            members["holder"] = .string(key.holderReference.reveal())
        }
        json = .object(members)
    }

    private static func brand(_ brand: CardBrand) -> JSONValue {
        [
            "name": .string(brand.name),
            "prefixes": .array(
                brand.prefixes.map { [number($0.range.lowerBound), number($0.range.upperBound), number($0.length)] }),
            "lengths": .array(brand.lengths.map(number)), "groups": .array(brand.groups.map(number)),
            "code": number(brand.securityCodeLength),
        ]
    }

    private static func number(_ value: Int) -> JSONValue { .number(JSONNumber(Int64(value))) }
}
