import type { IncomingMessage, ServerResponse } from 'node:http';
import { admitMetrics } from '@chorus/accounts';
import { ChorusError, toErrorBody } from '@chorus/contract';
import type { ProcessMetrics } from '@chorus/runtime/metrics';

const JSON_TYPE = 'application/json; charset=utf-8';

/** Answers the HTTP requests of a process that serves only sockets: probes and Prometheus. */
export async function answerRequest(
  request: IncomingMessage,
  response: ServerResponse,
  { metrics, metricsToken }: { metrics: ProcessMetrics; metricsToken: string | null },
): Promise<void> {
  const send = (status: number, type: string, body: string) => {
    response.writeHead(status, { 'Content-Type': type });
    response.end(body);
  };
  try {
    if (request.url === '/healthz') return send(200, JSON_TYPE, JSON.stringify({ status: 'ok' }));
    if (request.url !== '/metrics')
      throw new ChorusError('route_not_found', 'This process serves only the voice socket.');
    admitMetrics(request, metricsToken);
    send(200, metrics.contentType, await metrics.render());
  } catch (error) {
    const known = error instanceof ChorusError ? error : new ChorusError('internal_error', 'Internal error.');
    send(known.status, JSON_TYPE, JSON.stringify({ error: toErrorBody(known, null) }));
  }
}
