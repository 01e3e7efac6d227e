// Pays by `payroute serve` with a client in TypeScript that openapi-generator makes from its description: compiled by tsc, and run
// by node with the server's address and a link.
//
// Nothing of the client is ours: what it lacks or cannot read, the description lacks or describes wrongly.
import { Configuration, DefaultApi, Payment, ResponseError } from "./client";

declare const process: { argv: string[]; exit(code: number): never };

function check(holds: boolean, what: unknown): void {
    if (!holds) throw new Error(`wrong: ${JSON.stringify(what)}`);
}

async function pay(server: string, link: string): Promise<Payment> {
    const api = new DefaultApi(new Configuration({ basePath: server }));
    const health = await api.ready();
    check(health.status === "ready", health);
    const reading = await api.readText({ text: { text: link } });
    check(reading.reading.kind === "payment", reading);

    const request = { idempotencyKey: "order-8", paymentRequest: { link } };
    let payment = await api.pay(request);
    const again = await api.pay(request);
    check(again.id === payment.id, again);
    const other = { idempotencyKey: "order-8", paymentRequest: { link: "https://shop.example/other" } };
    const refused = await api.pay(other).then(() => undefined, (error) => error);
    check(refused instanceof ResponseError, `${refused}`);
    const body = await refused.response.json();
    check(body.error.code === "key-reused", body);

    for (let round = 0; round < 20; round++) {
        payment = await api.showPayment({ id: payment.id, wait: 30 });
        if (payment.state !== "waiting" || payment.action === null) break;
        check(payment.action.kind === "choose", payment);
        const option = payment.action.options?.find((option) => option.unmet.length === 0);
        check(option !== undefined, payment);
        await api.answerPayment({ id: payment.id, action: payment.action.id, answer: { option: option?.id } });
    }
    check(payment.state === "ended" && payment.outcome?.outcome === "succeeded", payment);
    const listed = await api.listPayments();
    check(listed.payments.some((one) => one.id === payment.id), listed);
    return payment;
}

const [server, link] = process.argv.slice(2);
pay(server, link).then(
    (payment) => console.log(`a client in TypeScript paid ${payment.amount} ${payment.unit}, once for its key`),
    (error) => {
        console.error(error);
        process.exit(1);
    });
