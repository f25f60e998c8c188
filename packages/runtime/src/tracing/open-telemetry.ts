import { hostname } from 'node:os';
import { type Context, SpanKind as Kind, ROOT_CONTEXT, SpanStatusCode, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Logger } from '../log/index.ts';
import { type SpanFactory, type SpanStart, TRACEPARENT, type TracingConfig } from './span.ts';

/** Maximum time that a shutdown waits for the collector. */
const CLOSE_MS = 2_000;
const EXPORT_EVERY_MS = 2_000;

const KINDS = { server: Kind.SERVER, consumer: Kind.CONSUMER, client: Kind.CLIENT, internal: Kind.INTERNAL } as const;

/** Opens OpenTelemetry's SDK. The exporter reads `OTEL_EXPORTER_OTLP_…` itself. */
export function openTelemetry(
  config: TracingConfig,
  process: string,
  log: Logger,
): { create: SpanFactory; close: () => Promise<void> } {
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.name': config.serviceName ?? `chorus-${process}`,
      'service.instance.id': `${hostname()}:${globalThis.process.pid}`,
      ...config.resourceAttributes,
    }),
    sampler: samplerOf(config.sampler),
    spanProcessors: [
      new BatchSpanProcessor({ exporter: new OTLPTraceExporter(), scheduledDelayMillis: EXPORT_EVERY_MS }),
    ],
  });
  const tracer = provider.getTracer('chorus');
  return {
    create(name, { kind, attributes = {}, parent, link = null, startedAt }) {
      const linked = trace.getSpanContext(contextOf(link));
      const options = {
        kind: KINDS[kind],
        attributes: defined(attributes),
        ...(linked && { links: [{ context: linked }] }),
        ...(startedAt !== undefined && { startTime: startedAt }),
      };
      const span = tracer.startSpan(name, options, contextOf(parent));
      const { traceId, spanId, traceFlags } = span.spanContext();
      return {
        traceparent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`,
        rename: (given) => void span.updateName(given),
        set: (given) => void span.setAttributes(defined(given)),
        fail(code) {
          span.setAttribute('error.type', code);
          span.setStatus({ code: SpanStatusCode.ERROR });
        },
        end: () => {
          if (span.isRecording()) span.end();
        },
      };
    },
    async close() {
      const timer = new Promise((resolve) => setTimeout(resolve, CLOSE_MS).unref());
      const closing = provider.shutdown().catch((err) => log.warn({ err }, 'the last traces were not exported'));
      await Promise.race([closing, timer]);
    },
  };
}

function contextOf(parent: string | null): Context {
  if (parent === null || !TRACEPARENT.test(parent)) return ROOT_CONTEXT;
  const [, traceId = '', spanId = '', flags = '00'] = parent.split('-');
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16),
    isRemote: true,
  });
}

function samplerOf({ root, ratio, followsParent }: TracingConfig['sampler']): Sampler {
  const own =
    root === 'always_on'
      ? new AlwaysOnSampler()
      : root === 'always_off'
        ? new AlwaysOffSampler()
        : new TraceIdRatioBasedSampler(ratio);
  return followsParent ? new ParentBasedSampler({ root: own }) : own;
}

const defined = (attributes: NonNullable<SpanStart['attributes']>): Record<string, string | number | boolean> =>
  Object.fromEntries(
    Object.entries(attributes).filter((entry): entry is [string, string | number | boolean] => entry[1] !== undefined),
  );
