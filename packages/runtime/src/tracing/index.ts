export { type Span, TRACEPARENT } from './span.ts';
export {
  currentSpan,
  currentTraceparent,
  runInSpan,
  startSpan,
  startTracing,
  stopTracing,
  traceIdOf,
} from './spans.ts';
export { tracedCalls } from './traced-calls.ts';
