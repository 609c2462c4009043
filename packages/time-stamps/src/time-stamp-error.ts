/** A time stamp was rejected. The message is a clause that says why, without a full stop. */
export class TimeStampError extends Error {
  override readonly name = 'TimeStampError';
}
