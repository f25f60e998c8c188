/** The data directory can't be used: in use by another server, of another program, or damaged. Its message is for the user. */
export class DataDirectoryError extends Error {}
