import { z } from 'zod';
import { number } from './variables.ts';

const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

const setting = z.string().trim().min(1).nullable().default(null);

/** OpenTelemetry's usual variables. Its exporter reads those of its connection itself. */
export const tracingVariables = {
  OTEL_EXPORTER_OTLP_ENDPOINT: setting,
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: setting,
  OTEL_EXPORTER_OTLP_HEADERS: setting,
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: setting,
  OTEL_EXPORTER_OTLP_TIMEOUT: number(1, 600_000, 10_000),
  OTEL_EXPORTER_OTLP_COMPRESSION: setting,
  OTEL_EXPORTER_OTLP_CERTIFICATE: setting,
  OTEL_SDK_DISABLED: z.enum(['true', 'false'], { error: 'must be true or false' }).default('false'),
  OTEL_SERVICE_NAME: setting,
  OTEL_RESOURCE_ATTRIBUTES: z.string().default(''),
  OTEL_TRACES_SAMPLER: z.enum(SAMPLERS).default('parentbased_always_on'),
  OTEL_TRACES_SAMPLER_ARG: z.coerce.number({ error: 'must be a number from 0 to 1' }).min(0).max(1).default(1),
  TRACE_URL_TEMPLATE: z
    .string()
    .trim()
    .refine((value) => value.includes('{trace_id}') && /^https?:\/\//.test(value), {
      error: 'must be a URL that contains {trace_id}',
    })
    .nullable()
    .default(null),
};

type TracingVariables = { [Name in keyof typeof tracingVariables]: z.output<(typeof tracingVariables)[Name]> };

/** Returns the settings of tracing. Null: off. */
export function readTracing(value: TracingVariables) {
  const endpoint = value.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? value.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (endpoint === null || value.OTEL_SDK_DISABLED === 'true') return null;
  const sampler = value.OTEL_TRACES_SAMPLER;
  return {
    serviceName: value.OTEL_SERVICE_NAME,
    resourceAttributes: attributesIn(value.OTEL_RESOURCE_ATTRIBUTES),
    sampler: {
      root: sampler.replace('parentbased_', '') as 'always_on' | 'always_off' | 'traceidratio',
      ratio: value.OTEL_TRACES_SAMPLER_ARG,
      followsParent: sampler.startsWith('parentbased_'),
    },
  };
}

/** Reads `key=value` pairs, by commas, with percent-encoded values. */
function attributesIn(text: string): Record<string, string> {
  const pairs = text.split(',').flatMap((pair) => {
    const [, key, value] = /^\s*([^=]+?)\s*=\s*(.*?)\s*$/.exec(pair) ?? [];
    if (key === undefined || value === undefined) return [];
    try {
      return [[key, decodeURIComponent(value)]];
    } catch {
      return [[key, value]];
    }
  });
  return Object.fromEntries(pairs);
}
