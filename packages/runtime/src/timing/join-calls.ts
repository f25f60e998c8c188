/**
 * Collects the calls of one turn of the event loop, and runs those with the same key together. If a run fails, all its
 * calls fail.
 *
 * @param run Returns one result per call, or a promise of it, in their order.
 * @param most Maximum number of calls per run. Further calls start another run.
 */
export function joinCalls<Key, Call, Answer>(
  run: (key: Key, calls: Call[]) => Promise<(Answer | Promise<Answer>)[]>,
  { most }: { most: number },
): (key: Key, call: Call) => Promise<Answer> {
  const waiting = new Map<Key, Waiting<Call, Answer>[]>();

  const send = (key: Key, some: Waiting<Call, Answer>[]): void => {
    if (waiting.get(key) === some) waiting.delete(key);
    run(
      key,
      some.map(({ call }) => call),
    ).then(
      (answers) => {
        for (const [at, { resolve }] of some.entries()) resolve(answers[at] as Answer | Promise<Answer>);
      },
      (error) => {
        for (const { reject } of some) reject(error);
      },
    );
  };

  return (key, call) =>
    new Promise((resolve, reject) => {
      const others = waiting.get(key);
      if (others && others.length < most) return void others.push({ call, resolve, reject });
      const some = [{ call, resolve, reject }];
      waiting.set(key, some);
      setImmediate(() => send(key, some));
    });
}

interface Waiting<Call, Answer> {
  call: Call;
  resolve: (answer: Answer | Promise<Answer>) => void;
  reject: (error: unknown) => void;
}
