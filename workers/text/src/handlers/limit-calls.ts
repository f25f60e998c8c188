import type { JobOutput, ResponseOptions, RunningEvent } from '@chorus/contract';

type Event = RunningEvent<JobOutput<'response'>>;
type Emit = (event: Event) => Promise<void> | undefined;

/**
 * Leaves out function calls beyond `max_tool_calls`, and those of functions that `tool_choice` does not allow, since
 * models do not always obey. The other items keep their order.
 */
export function limitCalls(emit: Emit, { max_tool_calls, tool_choice }: ResponseOptions): Emit {
  const most = max_tool_calls ?? Number.POSITIVE_INFINITY;
  const allowed = allowedNames(tool_choice);
  if (most === Number.POSITIVE_INFINITY && allowed === null) return emit;
  /** New index of each item. Null: it is left out. */
  let places = new Map<number, number | null>();
  let items = 0;
  let calls = 0;
  const placeOf = (index: number, call: string | null): number | null => {
    const known = places.get(index);
    if (known !== undefined) return known;
    const isLeftOut = call !== null && (calls >= most || allowed?.has(call) === false);
    if (call !== null && !isLeftOut) calls += 1;
    const place = isLeftOut ? null : items;
    if (!isLeftOut) items += 1;
    places.set(index, place);
    return place;
  };
  return (event) => {
    if (event.type === 'text.reset') {
      places = new Map();
      items = 0;
      calls = 0;
    }
    if (!('index' in event)) return emit(event);
    const index = placeOf(event.index, calledBy(event));
    return index === null ? undefined : emit({ ...event, index });
  };
}

function calledBy(event: Event): string | null {
  if (event.type === 'tool_call.delta') return event.name;
  return event.type === 'output.item' && event.item.type === 'tool_call' ? event.item.name : null;
}

/** Returns the names of the functions that may be called. Null: all. */
function allowedNames(choice: ResponseOptions['tool_choice']): ReadonlySet<string> | null {
  if (choice === 'none') return new Set();
  if (typeof choice !== 'object' || choice === null) return null;
  if (choice.type !== 'allowed_tools') return choice.type === 'function' ? new Set([choice.name]) : null;
  return new Set(choice.mode === 'none' ? [] : choice.tools.flatMap((tool) => tool.name ?? []));
}
