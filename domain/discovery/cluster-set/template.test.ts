import { describe, expect, it } from 'vitest';
import { isLabelKey, isLabelValue, isObjectName } from '../../kubernetes/selector.ts';
import { render, renderAnnotations, renderLabels } from './template.ts';

const web1 = { name: 'web1', tags: { role: 'web', 'team.io/owner': 'a b', empty: '', 'Cost Center': 'a12' } };

describe('a template', () => {
  it.each([
    ['a text without variables stays', 'web', 'web'],
    ['the name of the cluster', '{{.awseks.cluster.name}}', 'web1'],
    ['blanks around the variable', 'a-{{ .awseks.cluster.name }}-b', 'a-web1-b'],
    ['a tag', '{{.awseks.cluster.tags.role}}', 'web'],
    ['a tag with blanks around it', '{{ .awseks.cluster.tags.role }}', 'web'],
    ['a tag whose key has dots and slashes', '{{.awseks.cluster.tags.team.io/owner}}', 'a b'],
    ['a tag that is empty', '{{.awseks.cluster.tags.empty}}', ''],
    ['a tag whose key has blanks', '{{ .awseks.cluster.tags.Cost Center }}', 'a12'],
    ['several variables', '{{.awseks.cluster.tags.role}}{{.awseks.cluster.name}}', 'webweb1'],
    ['closing braces alone', 'a}}', 'a}}'],
  ])('fills in %s', (_, template, value) => expect(render(template, web1)).toEqual({ ok: true, value }));

  it.each([
    ['an unknown variable', '{{.clustername}}', 'must be {{.awseks.cluster.name}} or'],
    [
      'index',
      '{{index .awseks.cluster.tags "role"}}',
      'Unknown variable {{index .awseks.cluster.tags "role"}}',
    ],
    ['a function', '{{.awseks.cluster.name | upper}}', '| upper}}'],
    ['nothing', '{{}}', 'Unknown variable {{}}'],
    ['a tag that is missing', '{{.awseks.cluster.tags.env}}', 'has no EKS tag'],
    ['a tag that every object has', '{{.awseks.cluster.tags.constructor}}', 'EKS tag "constructor"'],
    ['a variable that is not closed', 'a{{.awseks.cluster.name', '{{ is not closed'],
  ])('refuses %s with a sentence', (_, template, said) => {
    const rendered = render(template, web1);
    expect(rendered).toMatchObject({ ok: false });
    expect(JSON.stringify(rendered).replaceAll('\\', '')).toContain(said);
  });

  it('says when nobody knows the tags', () => {
    expect(render('{{.awseks.cluster.tags.role}}', { name: 'byhand' })).toEqual({
      ok: false,
      message: expect.stringContaining('The EKS tags of cluster byhand are unknown'),
    });
  });

  it('does not fill in what a tag says', () => {
    const tags = { a: '{{.awseks.cluster.name}}' };
    expect(render('{{.awseks.cluster.tags.a}}', { name: 'x', tags })).toEqual({
      ok: true,
      value: '{{.awseks.cluster.name}}',
    });
  });
});

describe('labels of a template', () => {
  it('are filled in one by one, and what cannot be a label is set apart', () => {
    const rendered = renderLabels(
      {
        role: '{{.awseks.cluster.tags.role}}',
        owner: '{{.awseks.cluster.tags.team.io/owner}}',
        env: '{{.awseks.cluster.tags.env}}',
        'a b': 'c',
      },
      web1,
    );
    expect(rendered.values).toEqual({ role: 'web' });
    expect(rendered.problems).toEqual([
      expect.stringContaining('"a b"'),
      expect.stringContaining('EKS tag "env"'),
      expect.stringContaining('of label owner: must be at most 63 letters'),
    ]);
  });

  it('may be absent', () => expect(renderLabels(undefined, web1)).toEqual({ values: {}, problems: [] }));

  it('are stricter than annotations', () =>
    expect(renderAnnotations({ a: '{{.awseks.cluster.tags.team.io/owner}}' }, web1)).toEqual({
      values: { a: 'a b' },
      problems: [],
    }));
});

describe('the syntax of labels', () => {
  it.each([
    ['', true],
    ['1.2.3', true],
    ['a'.repeat(63), true],
    ['a'.repeat(64), false],
    ['-a', false],
    ['a b', false],
    ['1.0.0+build', false],
  ])('has the value %j: %s', (text, is) => expect(isLabelValue(text)).toBe(is));

  it.each([
    ['role', true],
    ['okra.mumo.co/version', true],
    ['', false],
    ['/a', false],
    ['a/', false],
    ['a/b/c', false],
    ['Team.io/a', false],
  ])('has the key %j: %s', (text, is) => expect(isLabelKey(text)).toBe(is));

  it.each([
    ['web-1.a', true],
    ['Web', false],
    ['a_b', false],
    ['', false],
    ['a'.repeat(254), false],
  ])('has the name %j: %s', (text, is) => expect(isObjectName(text)).toBe(is));
});
