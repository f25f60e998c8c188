import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { withInstallLock } from './install-lock.mjs';
import { privateFolder, unpackPrivately } from './private-packages.mjs';
import { say } from './project.mjs';
import { runQuietly } from './run-quietly.mjs';
import { SetupError } from './setup-error.mjs';

const launcher = 'bin/python-with-swift';
const own = join(privateFolder('swift'), launcher);
const python = '/usr/bin/python3';

/** Without these, `import eventlet` takes a second longer. */
const quickly = 'EVENTLET_NO_GREENDNS=yes SETUPTOOLS_USE_DISTUTILS=stdlib';

const instructions = [
  'The object storage tests need OpenStack Swift, a server with the S3 API, but none was found.',
  'On Debian or Ubuntu, apt fetches it, which needs the network once. Elsewhere, give the tests your own S3 server, such as MinIO:',
  '  TEST_S3_ENDPOINT=http://127.0.0.1:9000 TEST_S3_ACCESS_KEY_ID=… TEST_S3_SECRET_ACCESS_KEY=… npm test',
].join('\n');

/**
 * Finds OpenStack Swift, a real server with the S3 API, for tests. If the system has none, apt downloads it
 * into `.data/tools/swift` (13 MB, about half a minute, once), without starting anything or changing the
 * system.
 * @returns {Promise<string>} a Python that can import it
 * @throws {SetupError} whose message says what to do
 */
export async function findOrInstallSwift() {
  return (await findSwift()) ?? withInstallLock(install);
}

async function install() {
  const meanwhile = await findSwift();
  if (meanwhile) return meanwhile;
  say('No OpenStack Swift found for the object storage tests: fetching it with apt into .data/tools/swift …');
  const { ok, output } = await unpackPrivately('swift', ['python3-swift'], {
    path: launcher,
    script: [
      'own=$files/usr/bin/python3',
      `test -x "$own" || own=${python}`,
      'PYTHONPATH=$files/usr/lib/python3/dist-packages',
      'export PYTHONPATH',
      `exec env ${quickly} "$own" "$@"`,
    ].join('\n'),
  });
  const works = ok ? await importsSwift(own) : { ok, output };
  if (works.ok) return own;
  rmSync(privateFolder('swift'), { recursive: true, force: true });
  throw new SetupError(`${instructions}\nWhat went wrong: ${works.output.trim().split('\n').at(-1)}`);
}

/** @returns {Promise<string | undefined>} */
async function findSwift() {
  if (existsSync(own)) return own; // only a working Python stays there
  return (await importsSwift(python)).ok ? python : undefined;
}

/** @param {string} program */
function importsSwift(program) {
  return runQuietly(program, ['-c', 'import swift.common.middleware.s3api.s3api'], { timeoutMs: 60_000 });
}
