export interface TextDiffProps {
  /** What is compared with what. */
  readonly label: string;
  readonly before: string;
  readonly after: string;
}
