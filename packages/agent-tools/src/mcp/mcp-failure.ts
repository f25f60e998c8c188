/**
 * A failure of an MCP server, with a message for the model and the user.
 *
 * `notRun`: the server has not run the call, so it can be repeated.
 */
export class McpFailure extends Error {
  readonly notRun: boolean;

  constructor(message: string, { notRun = false, cause }: { notRun?: boolean; cause?: unknown } = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'McpFailure';
    this.notRun = notRun;
  }
}
