"""Starts moto with what it lacks: a target for each port, rules that swap priorities, and below /okra-local/ an EKS cluster's address and an assumed role."""

import gc
import json
import traceback
from copy import copy
from functools import cache
from http import HTTPStatus
from io import BytesIO
from xml.sax.saxutils import escape, quoteattr

from botocore import loaders

# Each of the sessions that moto opens would read the same files again: a quarter of its start.
read_once = cache(loaders.JSONFileLoader().load_file)
loaders.JSONFileLoader.load_file = lambda _, path: read_once(path)

from moto import server
from moto.core import DEFAULT_ACCOUNT_ID, responses, serialize
from moto.eks.models import eks_backends
from moto.elbv2.models import ELBv2Backend, FakeTargetGroup
from moto.sts.models import sts_backends
from werkzeug.exceptions import InternalServerError
from werkzeug.test import run_wsgi_app

PREFIX = "/okra-local/"
DELAY = "deregistration_delay.timeout_seconds"


def key_of(group, target):
    return target["Id"], str(target.get("Port") or group.port)


def with_targets(group, targets):
    """Shows moto a group as it knows groups, with one target for each id."""
    shown = copy(group)
    shown.targets = {target["Id"]: target for target in targets}
    return shown


def register(group, targets):
    for target in targets:
        shown = with_targets(group, [])
        moto_register(shown, [target])
        group.targets[key_of(group, target)] = shown.targets[target["Id"]]


def deregister(group, targets):
    """Leaves it at that when a target is not registered, as AWS does (API_DeregisterTargets)."""
    for target in targets:
        found = group.targets.pop(key_of(group, target), None)
        if found is not None:
            group.deregistered_targets[target["Id"]] = found


def deregister_terminated_instances(group, instance_ids):
    for key, target in list(group.targets.items()):
        if target["Id"] in instance_ids:
            group.terminated_targets[target["Id"]] = group.targets.pop(key)


def health_for(group, target, ec2_backend):
    found = group.targets.get(key_of(group, target))
    return moto_health_for(with_targets(group, [] if found is None else [found]), target, ec2_backend)


def set_rule_priorities(backend, rule_priorities):
    """Moves all rules at once, so that two may swap; whether the result has a conflict is for the proxy to judge."""
    arns = [pair["RuleArn"] for pair in rule_priorities]
    rules = [backend.describe_rules(listener_arn=None, rule_arns=[arn])[0] for arn in arns]
    for rule, pair in zip(rules, rule_priorities):
        rule.priority = pair["Priority"]
    return rules


def modify_target_group_attributes(backend, arn, attributes):
    """Takes the longest delay, which moto leaves out of the range."""
    longest = {key: value for key, value in attributes.items() if key == DELAY and value == "3600"}
    moto_modify_attributes(backend, arn, {key: value for key, value in attributes.items() if key not in longest})
    backend.target_groups[arn].attributes.update(longest)


# AWS knows targets by id and port, moto by id alone.
moto_register, moto_health_for = FakeTargetGroup.register, FakeTargetGroup.health_for
FakeTargetGroup.register = register
FakeTargetGroup.deregister = deregister
FakeTargetGroup.deregister_terminated_instances = deregister_terminated_instances
FakeTargetGroup.health_for = health_for
moto_modify_attributes = ELBv2Backend.modify_target_group_attributes
ELBv2Backend.modify_target_group_attributes = modify_target_group_attributes
ELBv2Backend.set_rule_priorities = set_rule_priorities


def set_cluster(region, name, change):
    """Gives a cluster the address, CA, status, version and VPC at which something real is to be found."""
    cluster = eks_backends[DEFAULT_ACCOUNT_ID][region].clusters.get(name)
    if cluster is None:
        return HTTPStatus.NOT_FOUND, {"error": f"Expected an EKS cluster {name} in {region}, found none."}
    cluster.endpoint = change.get("endpoint", cluster.endpoint)
    cluster.status = change.get("status", cluster.status)
    cluster.version = change.get("version", cluster.version)
    if "vpcID" in change:
        cluster.resources_vpc_config = {**cluster.resources_vpc_config, "vpcId": change["vpcID"]}
    if "caData" in change:
        cluster.certificate_authority = {"data": change["caData"]}
    return HTTPStatus.OK, {}


def tell_role(access_key_id):
    """Tells what AWS knows of the key of an assumed role: its secret, and who it is."""
    for regions in sts_backends.values():
        for backend in regions.values():
            role = backend.get_assumed_role_from_access_key(access_key_id)
            if role is not None:
                found = {"secretAccessKey": role.secret_access_key, "sessionToken": role.session_token}
                return HTTPStatus.OK, {**found, "arn": role.arn}
    return HTTPStatus.NOT_FOUND, {"error": f"Expected the access key of an assumed role, got {access_key_id}."}


def answer(method, parts, body):
    match (method, parts):
        case ("PUT", ["eks", region, name]):
            return set_cluster(region, name, json.loads(body))
        case ("GET", ["roles", access_key_id]):
            return tell_role(access_key_id)
        case _:
            return HTTPStatus.NOT_FOUND, {"error": "Expected PUT eks/<region>/<name> or GET roles/<access key id>."}


# moto finds these out for each request, by a look at each of its folders and at each method of a service: a third of its time.
responses.method_names_from_class = cache(responses.method_names_from_class)

# moto finds out for each attribute of each object anew what it may be called there, and what becomes of it.
known = {}


def way_to(picker, context):
    path = f"{context.key_path}.{context.key}"
    transforms = (transform for end, transform in picker.response_transformers.items() if path.endswith(end))
    return tuple(dict.fromkeys(picker.get_possible_keys(context))), next(transforms, None)


def pick(picker, context):
    about = context.obj.__class__, context.shape, context.key
    if about not in known:
        known[about] = way_to(picker, context)
    names, transform = known[about]
    values = (serialize.get_value(context.obj, name, serialize.MISSING) for name in names)
    found = next((value for value in values if value is not serialize.MISSING), None)
    return found if transform is None else transform(found)


def element(name, value):
    """Writes XML of what the serializer of queries makes: texts, numbers, and maps and lists of them."""
    if isinstance(value, list):
        return "".join(element(name, each) for each in value)
    if not isinstance(value, dict):
        return f"<{name}>{escape(str(value))}</{name}>" if value not in (None, "") else f"<{name}/>"
    attributes = "".join(f" {key[1:]}={quoteattr(each)}" for key, each in value.items() if key[0] == "@")
    children = "".join(element(key, each) for key, each in value.items() if key[0] != "@")
    return f"<{name}{attributes}>{children}</{name}>" if children else f"<{name}{attributes}/>"


serialize.XFormedAttributePicker.__call__ = pick
# moto's own way is made for all that XML can be.
serialize.QuerySerializer._serialize_body = lambda _, body: "".join(element(*each) for each in body.items())


def answer_of(app, environ):
    """Runs an application to its end; one that fails is a failure of the server, and told in its log."""
    try:
        return run_wsgi_app(app, environ, buffered=True)
    except Exception:
        traceback.print_exc()
        return run_wsgi_app(InternalServerError(), environ, buffered=True)


class RequestHandler(server.MotoRequestHandler):
    """Answers at once and not header by header, and says nothing of requests that succeed: each has the same line."""

    wbufsize = -1
    # On a connection that stays, the end of a long answer would wait for the caller to acknowledge its beginning.
    disable_nagle_algorithm = True

    def is_plain(self):
        """Tells whether it is known where the request ends, and the caller lets the connection stay."""
        said = self.headers.get("Connection", "").lower()
        length = self.headers.get("Content-Length", "0")
        others = self.headers.get("Expect") or self.headers.get("Transfer-Encoding")
        return self.request_version == "HTTP/1.1" and "close" not in said and length.isdecimal() and not others

    def run_wsgi(self):
        """Keeps the connection for the next request, where werkzeug closes each and starts a thread for the next."""
        if not self.is_plain():
            return super().run_wsgi()
        environ = self.make_environ()
        environ["wsgi.input"] = BytesIO(self.rfile.read(int(self.headers.get("Content-Length", "0"))))
        chunks, status, headers = answer_of(self.server.app, environ)
        body = b"".join(chunks)
        if self.command != "HEAD" and not status.startswith(("204", "304")):
            headers["Content-Length"] = str(len(body))
        code, _, reason = status.partition(" ")
        self.send_response(int(code), reason)
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)
        self.wfile.flush()

    def log_request(self, code="-", size="-"):
        if not str(code).startswith("2"):
            super().log_request(code, size)


class Application(server.DomainDispatcherApplication):
    """Answers what is below the prefix, and leaves all else to moto."""

    def __init__(self, create_app):
        super().__init__(create_app)
        self.get_backend_for_host = cache(self.get_backend_for_host)

    def __call__(self, environ, start_response):
        path = environ.get("PATH_INFO", "")
        if not path.startswith(PREFIX):
            return super().__call__(environ, start_response)
        body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
        status, found = answer(environ["REQUEST_METHOD"], path.removeprefix(PREFIX).split("/"), body)
        start_response(f"{status.value} {status.phrase}", [("content-type", "application/json")])
        return [json.dumps(found).encode()]


server.DomainDispatcherApplication = Application
server.MotoRequestHandler = RequestHandler
# What is loaded by now stays: it need not be looked through for garbage again and again.
gc.freeze()
gc.set_threshold(100_000, 50, 100)
server.main()
