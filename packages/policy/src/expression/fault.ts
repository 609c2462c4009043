/** Something wrong in an expression; `at` counts the characters before it, those of `${{` included. */
export interface Fault {
  readonly at: number;
  readonly message: string;
}

/** How reading an expression stops; it is caught where reading began. */
export class Refusal extends Error {
  readonly at: number;

  constructor(at: number, message: string) {
    super(message);
    this.at = at;
  }
}
