import { connect } from './connect-database.ts';
import { removeSealed } from './sealed-fields.ts';

/** Removes every secret of a store whose key is lost; what can be made anew is made at the next start. @returns how many records */
export async function resetSecrets(uri: string): Promise<number> {
  const connection = await connect(uri);
  try {
    return await removeSealed(connection.getClient().db());
  } finally {
    await connection.close();
  }
}
