import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

interface Document {
  components: { schemas: Record<string, { properties?: { type?: { enum?: string[] } } }> };
}

const document: Document = JSON.parse(readFileSync(new URL('../open-responses/openapi.json', import.meta.url), 'utf8'));
const ajv = new Ajv2020({ strict: false, allErrors: true });
ajv.addSchema(document, 'standard');
const validators = new Map<string, ValidateFunction>();

/** The schemas of the standard's streaming events, by the events' types. */
const EVENTS: ReadonlyMap<string, string> = new Map(
  Object.entries(document.components.schemas)
    .filter(([name]) => name.endsWith('StreamingEvent'))
    .flatMap(([name, { properties }]) => (properties?.type?.enum ?? []).map((type) => [type, name] as const)),
);

/** Validates a value by a schema of the Open Responses standard, such as `ResponseResource`. Returns the issues. */
export function standardIssues(schema: string, value: unknown): string[] {
  let validate = validators.get(schema);
  if (validate === undefined) {
    validate = ajv.compile({ $ref: `standard#/components/schemas/${schema}` });
    validators.set(schema, validate);
  }
  if (validate(value)) return [];
  return (validate.errors ?? []).map(({ instancePath, message }) => `${schema}${instancePath} ${message}`);
}

/** Validates a streaming event by the Open Responses standard. Returns the issues. */
export function standardEventIssues(event: { type: string }): string[] {
  const schema = EVENTS.get(event.type);
  return schema === undefined ? [`unknown event ${event.type}`] : standardIssues(schema, event);
}
