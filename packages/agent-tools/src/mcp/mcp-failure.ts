/**
 * A failure of an MCP server, with a message for the model and the user.
 *
 * `notRun`: the server has not run the call, so it can be repeated. `reported`: the server returned this error.
 * Otherwise the call may have had its effect.
 */
export class McpFailure extends Error {
  readonly notRun: boolean;
  readonly reported: boolean;

  constructor(
    message: string,
    { notRun = false, reported = false, cause }: { notRun?: boolean; reported?: boolean; cause?: unknown } = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'McpFailure';
    this.notRun = notRun;
    this.reported = reported;
  }
}
