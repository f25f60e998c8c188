const KEY = 'a secret key of tests and nothing else';

/** The key of stored secrets, for databases that tests open. */
export const TEST_SECRET_KEY = { keys: [KEY], file: '' };

/** The same, as a process gets it. */
export const TEST_SECRET_ENV = { SECRET_KEY: KEY };
