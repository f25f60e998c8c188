import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

interface Attribute {
  key: string;
  value: { stringValue?: string; intValue?: number | string; boolValue?: boolean };
}

/** A span as it arrives by OTLP over HTTP, in JSON. */
export interface CollectedSpan {
  name: string;
  kind: number;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  service: string;
  attributes: Record<string, unknown>;
  /** 2: failed. */
  status: number;
}

export interface TraceCollector {
  url: string;
  /** Returns the spans of a trace that have arrived so far. */
  spansOf(traceId: string): CollectedSpan[];
  close(): Promise<void>;
}

interface Export {
  resourceSpans: {
    resource: { attributes: Attribute[] };
    scopeSpans: {
      spans: (Omit<CollectedSpan, 'service' | 'attributes' | 'status'> & {
        attributes: Attribute[];
        status?: { code?: number };
      })[];
    }[];
  }[];
}

/** Collects traces as OpenTelemetry's collector does. */
export async function startTraceCollector(): Promise<TraceCollector> {
  const spans: CollectedSpan[] = [];
  const server = createServer(async (request, response) => {
    const { resourceSpans } = (await json(request)) as Export;
    for (const { resource, scopeSpans } of resourceSpans)
      for (const { attributes, status, ...span } of scopeSpans.flatMap((scope) => scope.spans))
        spans.push({
          ...span,
          attributes: valuesOf(attributes),
          status: status?.code ?? 0,
          service: String(valuesOf(resource.attributes)['service.name']),
        });
    response.setHeader('Content-Type', 'application/json');
    response.end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spansOf: (traceId) => spans.filter((span) => span.traceId === traceId),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const valuesOf = (attributes: Attribute[]): Record<string, unknown> =>
  Object.fromEntries(
    attributes.map(({ key, value: { stringValue, intValue, boolValue } }) => [
      key,
      stringValue ?? (intValue === undefined ? boolValue : Number(intValue)),
    ]),
  );
