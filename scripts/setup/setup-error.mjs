/** A set-up step that failed for a reason that the user can mend: shown as its message alone, without a stack. */
export class SetupError extends Error {}
