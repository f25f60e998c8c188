import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

export interface ReceivedWebhook {
  number: number;
  headers: IncomingHttpHeaders;
  /** The exact bytes, because they are signed. */
  body: string;
  id: string;
}

export interface WebhookReceiver {
  readonly url: string;
  readonly received: ReceivedWebhook[];
  readonly mostAtOnce: number;
  count(number: number): Promise<ReceivedWebhook[]>;
  close(): Promise<void>;
}

/**
 * Starts a webhook receiver that records requests.
 * @param answer Writes the response. If it does nothing, the sender waits.
 */
export async function startWebhookReceiver(
  answer: (webhook: ReceivedWebhook, response: ServerResponse) => void = (_webhook, response) => response.end(),
  port = 0,
): Promise<WebhookReceiver> {
  const received: ReceivedWebhook[] = [];
  const sockets = new Set<Socket>();
  const waiting: { number: number; resolve: () => void }[] = [];
  let open = 0;
  let mostAtOnce = 0;
  const server = createServer(async (request, response) => {
    open += 1;
    mostAtOnce = Math.max(mostAtOnce, open);
    response.on('close', () => {
      open -= 1;
    });
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk);
    } catch {
      return; // the sender disconnected, so nothing was received
    }
    const { headers } = request;
    const body = Buffer.concat(chunks).toString();
    const webhook = { number: received.length + 1, headers, body, id: String(headers['webhook-id']) };
    received.push(webhook);
    answer(webhook, response);
    for (const { number, resolve } of waiting) if (received.length >= number) resolve();
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const bound = (server.address() as AddressInfo).port;
  return {
    url: `http://127.0.0.1:${bound}/hook`,
    received,
    get mostAtOnce() {
      return mostAtOnce;
    },
    count: async (number) => {
      if (received.length < number) await new Promise<void>((resolve) => waiting.push({ number, resolve }));
      return received;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
