import { ChorusError, isId, newId } from '@chorus/contract';
import { type Connection, Schema, trusted } from 'mongoose';
import type { UserRepository } from './account-repositories.ts';
import { behindCursor, pageOf } from './page.ts';
import type { UserRecord } from './records.ts';
import { fromStore, isDuplicate } from './store-errors.ts';

interface StoredUser extends Omit<UserRecord, 'id'> {
  _id: string;
  /** Only the user made at first start has it; unique, so that two processes make one. */
  first?: true;
}

export function defineUserModel(connection: Connection) {
  const schema = new Schema<StoredUser>(
    {
      _id: { type: String, required: true },
      email: { type: String, required: true },
      password_hash: { type: String, required: true },
      operator: { type: Boolean, required: true },
      disabled_at: { type: Date, default: null },
      first: Boolean,
      created_at: { type: Date, required: true },
    },
    { versionKey: false, collection: 'users' },
  );
  schema.index({ email: 1 }, { unique: true });
  schema.index({ first: 1 }, { unique: true, sparse: true });
  return connection.model('User', schema);
}

export function createUserRepository(model: ReturnType<typeof defineUserModel>): UserRepository {
  const change = async (id: string, fields: Partial<StoredUser>) => {
    const changed = model.findOneAndUpdate({ _id: id }, { $set: fields }, { returnDocument: 'after' });
    return userOf(await fromStore(changed.lean<StoredUser>().exec()));
  };

  return {
    create: async ({ email, password_hash, operator, first }) => {
      const stored: StoredUser = {
        _id: newId('user'),
        email: email.trim().toLowerCase(),
        password_hash,
        operator,
        disabled_at: null,
        created_at: new Date(),
        ...(first === true ? { first: true } : {}),
      };
      try {
        await fromStore(model.create(stored));
      } catch (error) {
        if (!isDuplicate(error)) throw error;
        throw new ChorusError('conflict', 'This user exists.', { cause: error });
      }
      return userOf(stored);
    },
    findByEmail: async (email) => userOf(await fromStore(model.findOne({ email }).lean<StoredUser>().exec())),
    findById: async (id) => userOf(await fromStore(model.findOne({ _id: id }).lean<StoredUser>().exec())),
    getMany: async (ids) => {
      const found = model.find({ _id: trusted({ $in: ids }) });
      return (await fromStore(found.lean<StoredUser[]>().exec())).map(userOf<StoredUser>);
    },
    findFirst: async () => userOf(await fromStore(model.findOne({ first: true }).lean<StoredUser>().exec())),
    any: async () => (await fromStore(model.exists({}).exec())) !== null,
    list: async ({ limit, after }) => {
      const behind = behindCursor(after, (value) => isId('user', value));
      const found = model.find({ _id: trusted({ $gt: behind }) }).sort({ _id: 1 });
      const stored = await fromStore(
        found
          .limit(limit + 1)
          .lean<StoredUser[]>()
          .exec(),
      );
      return pageOf(stored, limit, userOf<StoredUser>, (last) => last._id);
    },
    setPassword: (id, password_hash) => change(id, { password_hash }),
    setDisabled: (id, disabled_at) => change(id, { disabled_at }),
  };
}

function userOf<S extends StoredUser | null>(stored: S): S extends null ? null : UserRecord;
function userOf(stored: StoredUser | null): UserRecord | null {
  if (stored === null) return null;
  const { _id, email, password_hash, operator, disabled_at, created_at } = stored;
  return { id: _id, email, password_hash, operator, disabled_at: disabled_at ?? null, created_at };
}
