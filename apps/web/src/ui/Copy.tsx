import { Check, Copy as CopyIcon } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Button } from './Button.tsx';

const COPIED_MS = 1_500;

/** `what` names the text for screen readers, such as `fingerprint`. */
export function CopyButton({
  text,
  what,
  label,
}: {
  readonly text: string;
  readonly what: string;
  readonly label?: string;
}) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return undefined;
    const timer = setTimeout(() => setCopied(false), COPIED_MS);
    return () => clearTimeout(timer);
  }, [copied]);
  const Icon = copied ? Check : CopyIcon;
  return (
    <Button
      variant="quiet"
      className={label === undefined ? '!p-1' : ''}
      aria-label={copied ? `Copied ${what}` : `Copy ${what}`}
      onPress={() => void navigator.clipboard.writeText(text).then(() => setCopied(true))}
    >
      <Icon size={13} aria-hidden />
      {label}
    </Button>
  );
}

/** The first digits of a fingerprint or commit, with all of them to copy. */
export function Digits({
  text,
  what,
  length = 7,
}: {
  readonly text: string;
  readonly what: 'fingerprint' | 'commit';
  readonly length?: number;
}) {
  if (text === '') return <span className="text-quiet">–</span>;
  return (
    <span className="inline-flex items-center whitespace-nowrap">
      <code title={text}>{text.slice(0, length)}</code>
      <CopyButton text={text} what={what} />
    </span>
  );
}
