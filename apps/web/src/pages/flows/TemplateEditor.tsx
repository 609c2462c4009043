import { useId, useRef } from 'react';
import { classes } from '../../ui/classes.ts';
import { offsetOf, type TemplateProblem } from './template-problems.ts';

const LINES_LEAST = 14;

/** YAML with numbered lines. Errors from the server are marked at their lines, and listed below with links to them. */
export function TemplateEditor({
  label,
  value,
  onChange,
  problems,
}: {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly problems: readonly TemplateProblem[];
}) {
  const id = useId();
  const area = useRef<HTMLTextAreaElement>(null);
  const lines = Math.max(LINES_LEAST, value.split('\n').length);
  const wrong = new Set(problems.map(({ line }) => line));
  const goTo = (problem: TemplateProblem) => {
    const at = offsetOf(value, problem);
    area.current?.focus();
    area.current?.setSelectionRange(at, at);
  };
  return (
    <div>
      <label htmlFor={id} className="mb-1 block text-[13px] font-medium">
        {label}
      </label>
      <div className="flex max-h-[50vh] overflow-auto rounded-md border border-field bg-panel font-mono text-[13px] leading-5">
        <div
          aria-hidden="true"
          className="shrink-0 self-start border-r border-line bg-raised py-1.5 text-right text-quiet"
        >
          {Array.from({ length: lines }, (_, index) => (
            <div key={index} className={classes('px-2', wrong.has(index + 1) && 'bg-bad-wash font-semibold text-bad')}>
              {wrong.has(index + 1) ? `✕ ${index + 1}` : index + 1}
            </div>
          ))}
        </div>
        <textarea
          id={id}
          ref={area}
          rows={lines}
          value={value}
          wrap="off"
          spellCheck={false}
          onChange={({ target }) => onChange(target.value)}
          aria-invalid={problems.length > 0}
          {...(problems.length > 0 && { 'aria-describedby': `${id}-problems` })}
          className="min-w-0 flex-1 resize-none overflow-x-auto bg-transparent px-2 py-1.5 whitespace-pre"
        />
      </div>
      {problems.length > 0 && (
        <ul id={`${id}-problems`} role="alert" className="mt-1 space-y-0.5 text-[13px] text-bad">
          {problems.map((problem) => (
            <li key={`${problem.line} ${problem.column} ${problem.message}`}>
              <button type="button" className="cursor-pointer text-left underline" onClick={() => goTo(problem)}>
                {`Line ${problem.line}, column ${problem.column}`}
              </button>
              {`: ${problem.message}`}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
