import type { KnownCluster } from '../clusters/known-cluster.ts';
import { compareText } from '../../kubernetes/canonical.ts';
import { fillInVariables, quote, refuse, type Rendered } from '../../template.ts';
import { isLabelKey, isLabelValue } from '../../kubernetes/selector.ts';

/** What templates may name of a cluster; its tags are undefined when nobody knows them. */
type TemplateCluster = Pick<KnownCluster, 'name' | 'tags'>;

const NAME = '.awseks.cluster.name';
const TAGS = '.awseks.cluster.tags.';
const KNOWN = `{{${NAME}}} or {{${TAGS}KEY}}`;

/** Fills in the variables of a template. */
export const render = (template: string, cluster: TemplateCluster): Rendered =>
  fillInVariables(template, (variable) => valueOf(variable, cluster));

function valueOf(variable: string, { name, tags }: TemplateCluster): Rendered {
  if (variable === NAME) return { ok: true, value: name };
  if (!variable.startsWith(TAGS)) {
    return refuse(`Unknown variable {{${variable}}}: must be ${KNOWN}. Correct the variable.`);
  }
  const key = variable.slice(TAGS.length);
  if (tags === undefined) {
    return refuse(
      `The EKS tags of cluster ${name} are unknown. Let a ClusterSet create its Secret, which stores them.`,
    );
  }
  if (!Object.hasOwn(tags, key)) {
    return refuse(`Cluster ${name} has no EKS tag ${quote(key)}. Tag the cluster.`);
  }
  return { ok: true, value: tags[key] ?? '' };
}

/** Fills in templates of labels; a result that cannot be a label's value is a problem. */
export const renderLabels = (templates: Templates, cluster: TemplateCluster) =>
  renderMap(templates, cluster, (key, value) =>
    isLabelValue(value)
      ? undefined
      : `Invalid value ${quote(value)} of label ${key}: must be at most 63 letters, digits and -_. between letters or digits. Correct the template or the tag.`,
  );

/** Fills in templates of annotations, whose values may be anything. */
export const renderAnnotations = (templates: Templates, cluster: TemplateCluster) =>
  renderMap(templates, cluster, () => undefined);

type Templates = Readonly<Record<string, string>> | undefined;

function renderMap(
  templates: Templates,
  cluster: TemplateCluster,
  problemOf: (key: string, value: string) => string | undefined,
) {
  const values: [string, string][] = [];
  const problems: string[] = [];
  for (const [key, template] of Object.entries(templates ?? {}).toSorted(([a], [b]) => compareText(a, b))) {
    const rendered = render(template, cluster);
    const problem = rendered.ok ? problemOf(key, rendered.value) : rendered.message;
    if (!isLabelKey(key))
      problems.push(`Invalid key ${quote(key)}: must be a key such as team.io/role. Correct it.`);
    else if (problem !== undefined) problems.push(problem);
    else if (rendered.ok) values.push([key, rendered.value]);
  }
  return { values: Object.fromEntries(values), problems };
}
